"""What is known about GPU clusters, as data: signatures of texts, links of causes, words, repair policies.

The data files stand beside this module; whoever reads them from disk hands them over as the values below.
"""
