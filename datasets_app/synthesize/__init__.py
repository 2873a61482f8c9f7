"""Asks models for candidates: prompts, answers by any endpoint of OpenAI's protocol, samples of what they hold."""
