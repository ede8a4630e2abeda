"""What came of it, in words and figures: the audit, the explanation, the next cluster of a group."""
