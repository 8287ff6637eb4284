"""Descriptions with right annotations, in many ways of putting things: nothing in them may be called an error."""

from __future__ import annotations

from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of


def clean(
    number: int, difficulty: str, text: str, counts: str, attributes: str = "", pairs: str = "", built: str = ""
) -> Annotation:
    """Return an annotation of entries that semicolons part."""

    def entries(cell: str) -> list[str]:
        return [entry.strip() for entry in cell.split(";") if entry.strip()]

    return annotation_of(
        str(number), difficulty, text, entries(counts), entries(attributes), entries(pairs), entries(built)
    )


CLEAN = (
    clean(0, "easy",
        "I want a cozy bedroom. It should have one king-size bed with its headboard against the wall and two"
        " matching nightstands, one on either side of the bed.",
        "eq,1,bed;eq,2,nightstand",
        "eq,1,bed,king_size;eq,2,nightstand,matching",
        "eq,2,next_to,0,bed,nightstand",
        "eq,1,against,bed,wall"),
    clean(1, "easy",
        "A minimalist office featuring a glass desk by the window, a black leather office chair facing the"
        " desk, and nothing else.",
        "eq,1,desk;eq,1,office_chair",
        "eq,1,desk,glass;eq,1,office_chair,black;eq,1,office_chair,leather",
        "eq,1,facing,0,desk,office_chair",
        "eq,1,by,desk,window"),
    clean(2, "medium",
        "The kitchen has an L-shaped counter along the wall. A stainless steel refrigerator stands to the left"
        " of the counter, and a dishwasher is to its right. There are three bar stools in front of the counter.",
        "eq,1,counter;eq,1,refrigerator;eq,1,dishwasher;eq,3,bar_stool",
        "eq,1,counter,l_shaped;eq,1,refrigerator,stainless_steel",
        "eq,1,left,0,counter,refrigerator;eq,1,right,0,counter,dishwasher;eq,3,in_front_of,0,counter,bar_stool",
        "eq,1,along,counter,wall"),
    clean(3, "medium",
        "A living room where two beige sofas face each other across a low wooden coffee table. A pair of"
        " floor lamps stands in the corners of the room, and a Persian rug lies under the coffee table.",
        "eq,2,sofa;eq,1,coffee_table;eq,2,floor_lamp;eq,1,rug",
        "eq,2,sofa,beige;eq,1,coffee_table,low;eq,1,coffee_table,wooden;eq,1,rug,persian",
        "ge,1,facing,0,sofa,sofa;eq,2,next_to,0,coffee_table,sofa;eq,1,under,0,coffee_table,rug",
        "eq,2,in_corner,floor_lamp,room"),
    clean(4, "medium",
        "A bathroom containing a clawfoot bathtub under the window and a toilet beside it. There is a small sink,"
        " with a round mirror hanging above it, and no shower. Two towels hang from a towel rack on the wall.",
        "eq,1,bathtub;eq,1,toilet;eq,1,sink;eq,1,mirror;eq,0,shower;eq,2,towel;eq,1,towel_rack",
        "eq,1,bathtub,clawfoot;eq,1,sink,small;eq,1,mirror,round",
        "eq,1,beside,0,bathtub,toilet;eq,1,above,0,sink,mirror;eq,2,on,0,towel_rack,towel",
        "eq,1,under,bathtub,window;eq,1,on,towel_rack,wall"),
    clean(5, "hard",
        "A family dining room. A long oak dining table is in the center of the room, surrounded by eight"
        " upholstered chairs. On the table there are several candles. A sideboard stands against the wall opposite the"
        " door, with at least one vase on top of it.",
        "eq,1,dining_table;eq,8,chair;ge,2,candle;eq,1,sideboard;ge,1,vase",
        "eq,1,dining_table,long;eq,1,dining_table,oak;eq,8,chair,upholstered",
        "eq,1,surround,0,dining_table,chair:0,chair:1,chair:2,chair:3,chair:4,chair:5,chair:6,chair:7;"
        "ge,2,on,0,dining_table,candle;ge,1,on_top_of,0,sideboard,vase",
        "eq,1,in_center,dining_table,room;eq,1,against,sideboard,wall;eq,1,opposite,sideboard,door"),
    clean(6, "easy",
        "This den holds a red and white striped armchair, a bookcase behind it, and more than one side table.",
        "eq,1,armchair;eq,1,bookcase;gt,1,side_table",
        "eq,1,armchair,striped;eq,1,armchair,red;eq,1,armchair,white",
        "eq,1,behind,0,armchair,bookcase"),
    clean(7, "hard",
        "A studio apartment with a bedroom area and a kitchen. The bedroom has a double bed in a corner,"
        " a dark blue rug next to the bed, a wardrobe and a chest of drawers against the wall, and two pillows on the"
        " bed."
        " The kitchen has a fridge next to a stove, and a square table with a chair on each short side.",
        "eq,1,bed;eq,1,rug;eq,1,wardrobe;eq,1,dresser;eq,2,pillow;eq,1,refrigerator;eq,1,stove;eq,1,table;eq,2,chair",
        "eq,1,bed,double;eq,1,rug,dark_blue;eq,1,table,square",
        "eq,1,next_to,0,bed,rug;eq,2,on,0,bed,pillow;eq,1,next_to,0,stove,refrigerator;eq,2,short_side,0,table,chair",
        "eq,1,in_corner,bed,bedroom;eq,1,against,wardrobe,wall;eq,1,against,dresser,wall"),
    clean(8, "easy",
        "A playroom without any chairs: a table made of plastic in the middle of the room and up to three toy"
        " boxes along the wall.",
        "eq,0,chair;eq,1,table;le,3,toy_box",
        "eq,1,table,plastic",
        "",
        "eq,1,in_middle,table,room;le,3,along,toy_box,wall"),
    clean(9, "medium",
        "In the gaming room, a curved monitor and a white keyboard are on the desk. The desk is black. A gaming"
        " chair is in front of the desk, and two or more posters hang on the wall above it.",
        "eq,1,monitor;eq,1,keyboard;eq,1,desk;eq,1,gaming_chair;ge,2,poster",
        "eq,1,monitor,curved;eq,1,keyboard,white;eq,1,desk,black",
        "eq,1,on,0,desk,monitor;eq,1,on,0,desk,keyboard;eq,1,in_front_of,0,desk,gaming_chair;ge,2,above,0,desk,poster",
        "ge,2,hang_on,poster,wall"),
    clean(10, "hard",
        "A basement workshop: four identical metal shelves line the wall, each with at least two paint cans on it."
        " A sturdy workbench is near the door, a toolbox sits underneath the workbench, and a freezer is far from the"
        " workbench.",
        "eq,4,shelf;ge,8,paint_can;eq,1,workbench;eq,1,toolbox;eq,1,freezer",
        "eq,4,shelf,metal;eq,4,shelf,identical;eq,1,workbench,sturdy",
        "ge,8,on,0,shelf,paint_can;eq,1,underneath,0,workbench,toolbox;eq,1,far_from,0,workbench,freezer",
        "eq,4,against,shelf,wall;eq,1,near,workbench,door"),
    clean(11, "medium",
        "A cheerful living room with a yellow couch, a TV on the wall facing it, and a glass coffee table placed"
        " between the two. A tall plant stands to the right of the couch, and a ceiling light hangs from the ceiling.",
        "eq,1,couch;eq,1,tv;eq,1,coffee_table;eq,1,plant;eq,1,ceiling_light",
        "eq,1,couch,yellow;eq,1,coffee_table,glass;eq,1,plant,tall",
        "eq,1,facing,0,couch,tv;eq,1,right,0,couch,plant",
        "eq,1,on,tv,wall;eq,1,hang_from,ceiling_light,ceiling"),
    clean(12, "easy",
        "A bathroom with a freestanding white bathtub near the window and a wall-mounted sink next to the door. There"
        " should not be a toilet.",
        "eq,1,bathtub;eq,1,sink;eq,0,toilet",
        "eq,1,bathtub,freestanding;eq,1,bathtub,white;eq,1,sink,wall_mounted",
        "",
        "eq,1,near,bathtub,window;eq,1,next_to,sink,door"),
    clean(13, "medium",
        "A dining room with a rectangular glass dining table. Three black metal chairs stand on one long side of the"
        " table and three more on the other. A crystal chandelier hangs from the ceiling directly above the table.",
        "eq,1,dining_table;eq,6,chair;eq,1,chandelier",
        "eq,1,dining_table,rectangular;eq,1,dining_table,glass;eq,6,chair,black;eq,6,chair,metal;eq,1,chandelier,crystal",
        "eq,6,on_long_side,0,dining_table,chair;eq,1,above,0,dining_table,chandelier",
        "eq,1,hang_from,chandelier,ceiling"),
    clean(14, "easy",
        "A den in which two armchairs stand beside the fireplace, and above the fireplace hangs a landscape painting.",
        "eq,2,armchair;eq,1,fireplace;eq,1,painting",
        "eq,1,painting,landscape",
        "eq,2,beside,0,fireplace,armchair;eq,1,above,0,fireplace,painting"),
)  # fmt: skip
"""Sentences of our own, each with what it demands."""
