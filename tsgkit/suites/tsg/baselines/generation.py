from tsgkit.graph.model import ActionGraph
def generate(sample): return [ActionGraph.of(("person","verb",sample.vocabulary.verbs[0]))]*sample.k
