"""The tokenizer of the project (tokenizer.json), and counting with it or with another one.

train.py      creates tokenizer.json corpus.py     its training texts and their licences counting.py   a tokenizer.json
as a counter of tokens
"""
