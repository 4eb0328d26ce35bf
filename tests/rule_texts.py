"""Rules that several tests begin from."""

GAME = """(role white) (role black)
(init (step 1))
(<= (legal ?r (say ?n)) (role ?r) (number ?n))
(number 1) (number 2)
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
"""
"""Two who say numbers for three steps; what ends it, and what it pays, is missing."""

GOAL = """BasicGame
    SpriteSet
        goal > Immovable
    LevelMapping
        g > goal
    InteractionSet
        avatar wall > stepBack
        goal avatar > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=goal win=True
"""
"""A video game in which the avatar walks to goals, each of which pays one."""
