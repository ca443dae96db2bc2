"""What do a claim's words refer to, and how much of the text does a marker stand for?"""
