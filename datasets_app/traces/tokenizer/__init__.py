"""The tokenizer that comes with the project (tokenizer.json), and how texts are counted by it or by another.

train.py      makes tokenizer.json
corpus.py     what it learns from, and under which licences
counting.py   a tokenizer.json as a counter of tokens
"""
