"""Colours, hatches and markers that also tell groups apart in grey and to colour-blind eyes."""

# Okabe and Ito's colours without black, in an order in which neighbours differ in lightness too.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#56B4E9", "#D55E00")
# Their numbers have no divisor in common with that of the colours: 77 and 84 combinations before a repeat.
HATCHES = ("", "///", "...", "\\\\\\", "xx", "--", "++", "oo", "||", "O", "**")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "d")

DARK, LIGHT = "#222222", "#FFFFFF"
BAND, NOBODY = "#F1F1F1", "#FFFFFF"
KEPT, BROKEN = COLOURS[0], COLOURS[6]
BROKEN_HATCH = "///"

_PALE = 0.22  # of the colour, the rest being white


def colour(i: int) -> str:
    """Colour of the i-th group or cluster."""
    return COLOURS[i % len(COLOURS)]


def hatch(i: int) -> str:
    """Hatch of the i-th group."""
    return HATCHES[i % len(HATCHES)]


def marker(i: int) -> str:
    """Marker of the i-th group or cluster."""
    return MARKERS[i % len(MARKERS)]


def pale(colour: str) -> str:
    """The same colour, very pale."""
    return "#" + "".join(f"{round(255 - _PALE * (255 - part)):02X}" for part in _parts(colour))


def ink(colour: str) -> str:
    """Dark or light, whichever is seen on this colour."""
    return DARK if luminance(colour) > 0.2 else LIGHT


def luminance(colour: str) -> float:
    """How light a colour is, from 0 to 1, which is all that grey leaves of it (WCAG's definition)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255 for part in _parts(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _parts(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue
