"""The fair assignment problem: costs and groups in, labels and a proof out."""
