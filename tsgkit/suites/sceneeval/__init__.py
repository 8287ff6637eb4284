"""The suite ``sceneeval``: furnished rooms held against descriptions, and against what rooms must be.

=====================  =========================================================================================
``folders``            paths inside a folder that was given, and none outside
``furnished``          a scene with what its file says of the objects beside their shapes
``loading``            the scene of an id in a folder, by whichever of the three readers fits
``states``             the published scene-state JSON;  ``assets``: where its meshes lie
``simple``             a JSON of ours, easy to write;  ``glb``: one self-contained file, with its paint (``glb_paint``)
``converting``         scenes of other tools (Holodeck, LayoutVLM, LayoutGPT) as such files, and what is lost
``annotations``        what a description demands: the published CSV, a JSON twin, findings, a scene graph
``judges``             what is asked of whoever looks;  ``rules_judge``: the judge that asks nobody
``model_judge``        the judge that is a model: in which words and how often it is asked (``questions``), what it may
                       answer (``answers``), and the pictures it is shown (``gallery``)
``matching``           which object is of which category;  ``mapping``: which relation a phrase means
``measuring``          everything found about a scene, as one JSON value;  ``fidelity``, ``plausibility``: its halves
``judging``, ``metrics``, ``task``  from there to scores (``description_task``: what all tasks have in common);
                       ``verdicts``: to questions that people can be asked
``pieces``             the files a run depends on;  ``remarks``: what was found, as lines beside a room on its ``page``
``top_view``           a scene seen from above
``annotation_replies`` an annotation read from what a model wrote;  ``annotation_wording``: when entries say the same
``annotation_scores``  from there to scores;  ``annotation_answers``: both as solvers take them;  ``annotate_task``:
                       the task that asks for them
``annotation_prompting``, ``annotation_examples``  how they are asked for
``annotation_baselines``, ``annotation_rules``, ``annotation_phrases``  and what annotates without asking anybody
``annotation_files``, ``annotation_findings``  annotations read and written, and what is wrong with them
``making``             new descriptions: drawn (``drawn_rooms``, ``furniture``), told by rules (``written_rooms``),
                       held against texts (``told_findings``) and each other (``batch_findings``), ``reviewing``
=====================  =========================================================================================
"""
