"""The judge of all suites: a model that is asked with or without images.

``judge``         puts a question and its images into messages, asks until a reply can be read, and ends in a counted
                  unknown; it remembers which response formats the judge's service takes
``ratings``       rates the answers of tasks in words
``images``        decodes the images of a folder beside the event loop, and records which one a judge was shown

A suite provides its questions, their schemas, a reader of one reply, and the scores.
"""
