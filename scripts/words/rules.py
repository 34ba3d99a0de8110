"""What becomes of which word. Scopes are globs on the path or on the file's name."""

SRC = 'src/* tests/* runtime/* bench/* docs/* scripts/* examples/* *.md Makefile CMakeLists.txt'
CODE = 'src/* tests/* runtime/* bench/* scripts/* examples/* Makefile CMakeLists.txt'
# Files in which `spread` is the spread of measured times.
STATS = ('times_table.* tune_log.* tune_import.* tune_measure.* database.* tune_driver.* '
         'bench/board.py bench/tuning.py tests/run_board.py bench/results/*')

# file name (any folder) -> file name; a folder in front restricts it
FILES = {
    'src/lower/join': 'fusion', 'src/plan/join': 'fusion', 'tests/unit/join': 'fusion',
    'tests/stages/join': 'fusion',
    'src/lower/spread': 'block_reduction', 'src/plan/spread': 'block_reduction',
    'tests/unit/spread': 'block_reduction', 'tests/stages/spread': 'block_reduction',
    'spread_folds': 'block_reductions', 'spread_kernels': 'block_reduction_kernels',
    'spread_rows': 'block_reduction_rows',
    'fold_steps': 'reduction_steps', 'own_folds': 'own_reductions',
    'logical_folds': 'logical_reductions', 'fold_parts': 'reduction_parts',
    'verify_folds': 'verify_reductions', 'openacc_folds': 'openacc_reductions',
    'src/verify/checks/folds': 'reductions', 'tests/data/folds': 'reductions_in_data',
    'src/poly/carry': 'scalar_replacement', 'tests/unit/carry': 'scalar_replacement',
    'tests/stages/carried': 'scalar_replacement',
    'src/verify/rewriting/carrying': 'scalar_replacement',
    'src/poly/starts': 'init_fusion', 'tests/unit/starts': 'init_fusion',
    'src/poly/unflatten': 'delinearize', 'tests/unit/unflatten': 'delinearize',
    'src/verify/rewriting/unflattening': 'delinearization',
    'tests/stages/unflattened': 'delinearized',
    'src/lower/frame': 'boundary_kernel', 'tests/unit/frames': 'boundary_kernels',
    'src/lower/points': 'thread_tile', 'src/lower/wide_points': 'windowed_tile',
    'strips_ahead': 'prefetched_strips', 'second_buffers': 'double_buffers',
    'src/verify/readers/places': 'positions', 'place_order': 'position_order',
    'src/lint/place': 'address', 'src/support/places': 'install_paths', 'tests/bundle_place': 'bundle_workdir', 'shadow_places': 'shadow_elements',
    'subscript_form': 'affine_subscript',
}

FOLD = {'fold': 'reduction', 'folds': 'reductions', 'folded': 'reduced', 'folding': 'reducing'}
SPREAD = {'spread': 'blockReduction', 'spreads': 'blockReductions'}
JOIN = {'join': 'fusion', 'joins': 'fusions', 'joined': 'fused', 'joining': 'fusion',
        'joinable': 'fusable'}
UNFLATTEN = {'unflatten': 'delinearize', 'unflattened': 'delinearized',
             'unflattening': 'delinearization', 'unflattener': 'delinearizer'}

# Scopes in which the word is the coinage.
JOIN_FILES = ('src/lower/join.* src/lower/fusion.* src/plan/join.* src/plan/fusion.* '
              'src/plan/plan*.* src/plan/facts.* tests/unit/join.cpp tests/unit/fusion.cpp '
              'src/tune/knobs.cpp src/tune/forms.cpp src/report/forms.* sampled.cpp '
              'tests/stages/join.c tests/stages/fusion.c src/tune/program_key.cpp src/lower/lower.cpp')


def place(word):
    return {'place': word, 'places': word + 's', 'placed': 'placed'}


# Exact names, whatever the file.
NAMES = {
    # reductions
    'FoldClause': 'ReductionClause', 'foldClause': 'reductionClause',
    'Fold': 'Reduce', 'foldStmt': 'reduceStmt', 'kFold': 'kReduce', 'nw_fold': 'nw_reduce',
    'foldReductions': 'orderFreeReductions', 'foldTree': 'reductionTree',
    'spreadFold': 'blockReduction', 'withOwnFold': 'withOwnReduction',
    'foldsAtOneTime': 'reducesAtOneTime', 'foldsIntoVariable': 'reducesIntoVariable',
    'foldsAlone': 'reducesAlone', 'allFold': 'allReduce', 'takesFold': 'takesReduction',
    'spread_folds': 'block_reductions', 'checkSpreadFolds': 'checkBlockReductions',
    'isSpread': 'isBlockReduction', 'takesSpreadResults': 'takesBlockResults',
    'SpreadCheck': 'BlockReductionCheck', 'Spread': 'BlockReduction',
    'SpreadPlan': 'BlockReductionPlan', 'spreadable': 'reducible',
    'spreadOrPlain': 'blockReductionOrPlain',
    '_spread': '_block_reduction', '_folded': '_reduced',
    # fusion
    'JoinPlan': 'FusePlan', 'isJoinedChoice': 'isFusedChoice', 'hasJoinedChoice': 'hasFusedChoice',
    'noJoining': 'noFusion', 'noSpread': 'noBlockReduction', 'Joined': 'Fused',
    '_joined': '_fused', 'proposeJoin': 'proposeFusion', 'wrongJoin': 'wrongFusion',
    'JoinParts': 'FusionParts', 'joinParts': 'fusionParts', 'JoinSearch': 'FusionSearch',
    'JoinedCode': 'FusedCode', 'joinedCode': 'fusedCode', 'JoinReview': 'FusionReview',
    'Join': 'Fusion', 'isJoined': 'isFused', 'joinedOrSeparate': 'fusedOrSeparate',
    'joinedSteps': 'fusedSteps', 'joinedRuns': 'fusedRuns', 'kJoinedRuns': 'kFusedRuns',
    'kJoinedSteps': 'kFusedSteps', 'kMostJoinedRows': 'kMostFusedRows',
    'kMostJoinedColumns': 'kMostFusedColumns', 'kMostJoinedBlocks': 'kMostFusedBlocks',
    'addJoin': 'addFusion', 'joinOf': 'fusionOf', 'small_joins': 'small_fusions',
    'StepsThatFoldOverOneArrayAreJoinedAndRight': 'StepsThatReduceOverOneArrayAreFusedAndRight',
    'OtherStepsAreNotJoined': 'OtherStepsAreNotFused', 'JoinedSteps': 'FusedSteps',
    'ResidentLoopsFoldsAndJoinsHaveKnobs': 'ResidentLoopsReductionsAndFusionsHaveKnobs',
    # tiles: tails, prefetch, stages
    'isSmooth': 'isShiftedInwards', 'xOwn': 'xShifted', 'yOwn': 'yShifted', '_own': '_shifted',
    'withInside': 'withShiftedTails', 'requireInside': 'requireWholeTile',
    'asksForOwn': 'guardsShifted', 'insideTiles': 'shiftedTiles',
    'kMostAhead': 'kMostPrefetched', 'kMostWordsAhead': 'kMostWordsPrefetched',
    'isAhead': 'isPrefetched', 'withoutAhead': 'withoutPrefetch', 'strips_ahead': 'prefetched_strips',
    'aheadTiles': 'prefetchingTiles', 'twoBuffers': 'twoStages', 'inBuffers': 'inStages',
    'withoutSecondBuffers': 'withoutDoubleBuffers', 'SecondBuffers': 'DoubleBuffers',
    'second_buffers': 'double_buffers',
    'StripsThatAreLoadedAheadAreAcceptedAndRight': 'StripsThatArePrefetchedAreAcceptedAndRight',
    # thread tiles
    'PointsOfThread': 'ThreadTile', 'TileOfPoints': 'WholeTile', 'WidePoints': 'WindowedTile',
    'widePoints': 'windowedTile', 'wide_points': 'windowed_tile', 'FrameOfPoints': 'BoundaryKernel',
    'hasPoints': 'takesTile', 'hasSeveralPoints': 'hasThreadTile',
    'severalPoints': 'threadTileCode', 'SeveralPoints': 'ThreadTileCode',
    'kMostPointsOfThread': 'kLargestThreadTile', 'pointsOfThread': 'threadTileOf',
    'FullPoints': 'WholePoints', 'addPoints': 'addThreadTile', 'wrongPoints': 'wrongThreadTile',
    'varyPoints': 'varyThreadTile', 'kPointsUnasked': 'kTileUnasked', 'single_points': 'single_points',
    # boundary kernels
    'hasFrame': 'hasBoundaryKernel', 'frameAround': 'boundaryAround', 'frameLaunch': 'boundaryLaunch',
    'kFramed': 'kWithBoundary', '_frame': '_boundary', '_wide_frame': '_wide_boundary',
    '_windows_frame': '_windows_boundary', 'smooth_0_step0_wide_frame': 'smooth_0_step0_wide_boundary',
    # occupancy
    'driverFrame': 'driverSource', 'blocksTogether': 'minBlocksPerSm', 'wishTogether': 'applyMinBlocks',
    # init fusion
    'Starts': 'InitFusion', 'withStarts': 'withFusedInits', 'startsAnew': 'restartsAtNan',
    # scalar replacement
    'Carried': 'ScalarReplaced', 'Carry': 'ScalarReplacement', 'carryFolds': 'replaceScalars',
    'Carrying': 'ScalarReplacement', 'tryCarrying': 'tryScalarReplacement',
    'CarryingCheck': 'ScalarReplacementCheck', 'checkCarrying': 'checkScalarReplacement',
    'CarriedElement': 'ReplacedElement', 'carriedBy': 'replacedBy', 'VerifyCarry': 'VerifyScalarReplacement',
    # delinearization
    'isUnflattened': 'isDelinearized',
    # positions, elements, ...
    'Place': 'SchedulePosition', 'PlaceReport': 'PositionReport', 'readPlaces': 'readPositions',
    'place_order': 'position_order', 'storedPlaces': 'storedElements',
    'nw_place': 'nw_instance', 'nw_places': 'nw_instances', 'StepPlace': 'StepPosition',
    'DatabasePlace': 'DatabaseLocation', 'tuneDatabasePlace': 'tuneDatabaseLocation',
    'PlacedHint': 'LocatedHint', 'ShadowPlaces': 'ShadowElements', 'shadow_places': 'shadow_elements',
    'placeOfField': 'offsetOfField',
    # forms
    'LaunchForm': 'LaunchMode', 'SubscriptForm': 'AffineSubscript', 'subscript_form': 'affine_subscript',
    'subscriptFormOf': 'affineSubscriptOf', 'LinearForm': 'LinearExpr',
    # local ids
    'nw_lane_x': 'nw_local_x', 'nw_lane_y': 'nw_local_y', 'nw_lane_z': 'nw_local_z',
}

# Names that mean something else in some files.
SCOPED_NAMES = [
    ('src/check/bundle_input.* src/check/check_bundle.*', {'places': 'locations', 'place': 'location'}),
    ('tests/unit/carry.cpp tests/unit/scalar_replacement.cpp tests/unit/unflatten.cpp tests/unit/delinearize.cpp tests/unit/rename.cpp', {'places': 'spellings'}),
    ('tests/unit/lint_symbols.cpp', {'place': 'address'}),
    ('src/verify/interpreter/*', {'fold': 'reduce'}),
    ('src/poly/step_axes.* src/plan/*', {'placeOf': 'positionOf', 'place': 'position'}),
    ('src/lower/step_code.* src/lower/resident.* src/lower/lower.cpp', {'places': 'linear'}),
    ('src/lower/reduction.*', {'places': 'instanceCount'}),
    ('src/analysis/tile_footprint.cpp', {'places': 'offsets', 'place': 'offset'}),
    ('src/support/text_brackets.*', {'place': 'position'}),
    ('tests/fuzz/* tests/mutation/*', {'place': 'position'}),

    ('src/verify/interpreter/*', {'Place': 'LValue', 'PlaceNode': 'LValueNode', 'isPlace': 'isLValue',
                                  'placeOf': 'lvalueOf', 'readPlace': 'readLValue',
                                  'finishPlace': 'finishLValue'}),
    ('src/lint/*', {'Place': 'Address', 'placeAgain': 'addressAgain', 'placed': 'addressed'}),
    ('src/frontend/cuda/parse_written.*', {'placeNode': 'lvalueNode'}),
    ('src/frontend/affine/build_program.cpp', {'Place': 'TextPosition', 'place': 'textPosition'}),
    ('src/frontend/affine/*', {'Place': 'Element'}),
    ('tests/run_*.py tests/bundle_*.py', {'Place': 'WorkDir', 'bundle_place': 'bundle_workdir', 'with_place': 'with_workdir'}),
    ('src/ir/program.h src/frontend/affine/* src/poly/* src/verify/rewriting/* src/kernel/* src/check/*', {'places': 'spellings'}),
    ('src/lower/*', {'placeOf': 'elementFor', 'expandedPlace': 'expandedElement', 'Places': 'LinearInstances',
                     'placesOf': 'linearInstancesOf', 'placesLoop': 'instancesLoop', 'fold': 'reduce',
                     'foldedName': 'reducedName', 'rowFold': 'rowReductionStatement',
                     'columnFold': 'columnReductionStatement'}),
    ('src/plan/*', {'rowFold': 'rowReductionStatement', 'columnFold': 'columnReductionStatement'}),
    ('column_sums.* block_reductions.* spread_folds.* sampled.* kernel_reader.*', {'fold': 'reduce'}),
    ('src/estimate/walk_accesses.cpp', {'placeOf': 'positionOf'}),
    ('src/ir/tree.*', {'place': 'copy'}),
    (JOIN_FILES, {'join': 'fuse'}),
    ('src/kernel/kernel.h src/frontend/cuda/parse_cuda.cpp src/plan/plan*.* ', {'together': 'minBlocksPerSm'}),
    ('src/lower/frame.cpp src/lower/boundary_kernel.cpp', {'Frame': 'Boundary'}),
    ('tests/unit/frames.cpp tests/unit/boundary_kernels.cpp', {'Framed': 'WithBoundary', 'framed': 'withBoundary', 'Frames': 'BoundaryKernels'}),
    ('src/driver/*', {'carried': 'replaced'}),
    ('src/report/expla* src/report/advice.*', {'placeOf': 'mappingOf', 'place': 'mapping'}),
    ('runtime/tool/parts.c', {'place': 'rank_and_size', 'place_of': 'rank_and_size_of'}),
    ('runtime/present.c', {'place': 'link'}), ('runtime/tool/ahead.c', {'place': 'slot', 'free_place': 'free_slot'}), ('runtime/nestwarp_rt.c', {'place_in_entry': 'offset_in_entry'}),
    ('bench/scoreboard.py', {'free_place': 'free_position'}),
    ('src/* tests/fuzz/* tests/unit/*', {'joinable': 'fusable'}),
    ('tests/run_emulation.py', {'joins': 'fuses'}),
    ('src/verify/readers/places.* src/verify/readers/positions.*', {'joined': 'fused'}),
    ('src/analysis/traffic.cpp', {'joined': 'merged'}),
]
SCOPED_WORDS = [
    (STATS, {'spread': 'spread', 'spreads': 'spreads'}),
    ('src/plan/share_split.* ', {'spread': 'range'}),
    ('src/lower/tiles.cpp', {'spread': 'perPoint'}),
    ('src/plan/share_conflicts.* tests/unit/share_conflicts.cpp', {'spreads': 'spreads'}),
    (JOIN_FILES, JOIN),
    ('bench/scoreboard.py bench/board.py bench/plot_results.py', place('position')),
    ('tests/stride_counts.py', place('index')),
    ('tests/run_targets.py', place('parameter')),
    ('tests/*.py bench/*.py', place('workdir')),
    ('src/lower/step_code.* src/lower/resident.* src/lower/reduction.* src/lower/lower.cpp', place('instance')),
    ('src/lower/window_search.*', place('access')),
    ('src/check/bundle_input.* src/check/check_bundle.*', place('path')),
    ('src/check/*', place('lvalue')),
    ('src/emit/* src/cli/* src/driver/*', place('location')),
    ('src/tune/database.* src/tuner/tuned_plans.* src/tuner/tune_import.*', place('location')),
    ('src/verify/interpreter/*', place('lvalue')),
    ('src/verify/checks/* src/verify/readers/* src/verify/*.* tests/unit/verify*.cpp', place('position')),
    ('src/verify/rewriting/*', place('element')),
    ('src/lint/*', place('address')),
    ('src/frontend/cuda/* src/ir/written_kernel.h', place('lvalue')),
    ('src/frontend/* src/kernel/* src/poly/* src/check/*', place('element')),
    ('src/lower/*', place('slot')),
    ('src/estimate/* src/emit/* src/ir/*', place('element')),
    ('src/report/* src/plan/* src/analysis/* src/tune/* src/tuner/* src/cli/* src/driver/*', place('position')),
    ('tests/unit/*', place('position')),
    ('src/lower/staging.cpp', {'form': 'pattern'}),
    ('src/lower/*subscript* src/lower/window_search.cpp', {'form': 'affine'}),
    ('*row_conditions.*', {'form': 'linear'}),
    ('runtime/cuda_streams.c runtime/nestwarp_rt.* runtime/probe/cuda.c runtime/probe/host.c runtime/resident.c runtime/sequences.c src/emit/text/* tests/unit/resident_rule.cpp tests/runtime/* tests/stand_alone/*', {'form': 'mode'}),
]

# Programs that tests and benchmarks translate: their own names stay, those of kernels follow.
PROGRAMS = ' '.join(f'tests/{d}/*' for d in (
    'stages features programs regressions errors cuda cuda_programs data lint explain share cc '
    'stand_alone on_device board runtime').split()) + ' bench/kernels/* bench/board/* bench/naive_cuda/* bench/share/* bench/refusals/* examples/*'
HARNESS = ' '.join(f'src/* tests/{d}/*' for d in 'unit fuzz mutation libfuzzer emulation tools'.split()) + \
    ' tests/*.py bench/*.py scripts/* runtime/* docs/* *.md Makefile CMakeLists.txt'

IDENTIFIERS = SCOPED_NAMES + [(HARNESS, NAMES)]
WORDS = SCOPED_WORDS + [
    (HARNESS, {**FOLD, **SPREAD, **UNFLATTEN}),
]
KEEP = [
    (SRC, 'IN_PLACE NW_IN_PLACE _in_place in_place inPlace cuda_in_place isCudaInPlace cudaInPlace '
          'emplace emplace_back __annotation_place placement reduce'),
    ('src/analysis/adjacency.* src/analysis/placement* tests/unit/adjacency.cpp', 'place placed placeTogether places'),
    ('src/plan/array_plan.* src/plan/planner.* src/plan/facts.*', 'placeArrays placeReadOnly placeByDefault placeByPatterns'),
    ('src/support/* runtime/*', 'joinable join'),
]

DET = r'(?:a|A|an|the|The|such|these|two|of|all|more|no|logical|Logical|long|several|few|other|shared|sharing|their|its|own|with|most|Most|between|by|one|each|Where|any|whose|for|short|this|and|both|into|in|is|as|such a|carried|Carried|that a|plain)'
W = '(?: |\x01[0-9]+\x01)'
PROSE = [
    # names of kernels and variables in emitted text
    (SRC, r'(_step[0-9]+)_spread\b', r'\1_block_reduction'), (SRC, r'(_step[0-9]+)_joined\b', r'\1_fused'),
    (SRC, r'(_step[0-9]+(?:_wide|_windows))_frame\b', r'\1_boundary'),
    (SRC, r'\bnw_folded', 'nw_reduced'), (SRC, r'\b([a-z])_folded', r'\1_reduced'),
    (SRC, r'\bnw_place\b', 'nw_instance'), (SRC, r'\bnw_lane_(?=[xyz])', 'nw_local_'),
    # idioms first
    (SRC, rf'\bfolded{W}into{W}the{W}(second|last)\b', r'merged into the \1'),
    (SRC, rf'\breduction{W}folds\b', 'reduction reduces'), (SRC, rf'\bunrolls or folds\b', 'unrolls or folds'.replace('folds', 'reorders')),
    (SRC, rf'\band{W}folds{W}(them|it)\b', r'and reduces \1'), (SRC, rf'\bconstant{W}and{W}folds\b', 'constant and reduces'), (SRC, rf'\bof{W}that{W}fold\b', 'of that reduction'),
    (SRC, rf'\bsame{W}place{W}of{W}a{W}line', 'same offset in a line'), (SRC, rf'\bthat{W}the{W}place{W}is{W}that{W}of', 'that the offset is that of'),
    (SRC, rf'\b(want|begin{W}at){W}different{W}places', r'\1 different offsets'), (SRC, rf'\bbent{W}in{W}one{W}place', 'changed at one point'),
    ('docs/internals.md docs/trust.md', rf'\babout{W}these{W}places', 'about these positions'), ('docs/internals.md', rf'\bplaces{W}taken{W}apart', 'indices taken apart'),
    (SRC, rf'\belements{W}that{W}folds{W}carry{W}through{W}their{W}loop,{W}in{W}variables', 'elements that reductions keep in variables while their loop runs'),
    (SRC, rf'Thread: fold every so-manieth instance into a register', 'Thread: reduce every n-th instance into a register'),
    (SRC, r'\bso-manieth\b', 'n-th'),
    (SRC, rf'\bCarried{W}folds', 'Scalar replacement'), (SRC, rf'\bcarried{W}folds', 'scalar replacement'),
    (SRC, r'`carrying`', '`scalar-replacement`'), ('src/verify/* tests/unit/* src/driver/* tests/mutation/*', r'"carrying"', '"scalar-replacement"'),
    (SRC, rf'\bcarried{W}in{W}a{W}variable', 'kept in a variable'), (SRC, rf'\ba{W}carried{W}(Program|program)', r'a scalar-replaced \1'),
    (SRC, rf'\bas{W}a{W}carried{W}one', 'as a scalar-replaced one'), (SRC, rf'\brenamed{W}program{W}is{W}not{W}carried', 'renamed program gets no scalar replacement'),
    (SRC, rf'\bsplitting,{W}carrying{W}and', 'splitting, scalar replacement and'), (SRC, rf'variable{W}is{W}carried{W}at{W}all', 'variable replaces it at all'),
    (SRC, rf'\bmade{W}to{W}carry{W}elements{W}in{W}variables', 'made to keep elements in variables'),
    (SRC, r'`carry`', '`scalar_replacement`'), (SRC, r'`starts`', '`init_fusion`'), ('docs/internals.md', r'`place\.cpp`', '`address.cpp`'),
    ('docs/internals.md', r'\* `frame`', '* `boundary_kernel`'), ('docs/internals.md', r'\* `points`', '* `thread_tile`'),
    ('docs/internals.md', r'\* `join`', '* `fusion`'), ('docs/internals.md', r'\* `spread`', '* `block_reduction`'),
    ('docs/internals.md', rf'which of two places', 'which of two positions'),
    (SRC, r'`frame`', '`boundaryKernel`'), (SRC, r'`points`', '`threadTile`'), (SRC, r'`ahead`', '`prefetch`'), (SRC, r'`together`', '`minBlocksPerSm`'), (SRC, r'`least`', '`profitableFrom`'),
    (SRC, rf'\bstrips{W}ahead{W}and{W}in{W}two{W}buffers', 'prefetched and double-buffered strips'),
    (SRC, rf'\bwindows,{W}frames\b', 'windows, boundary kernels'), (SRC, rf'\bwindows{W}and{W}frames\b', 'windows and boundary kernels'), (SRC, rf'\bswizzles,{W}frames\b', 'swizzles, boundary kernels'),
    (SRC, rf'(?<=wide tiles,)({W})frames', r'\1boundary kernels'),
    # thread tiles
    (SRC, r'has (\{\}|\d+) numbers of points of a thread for', r'gives \1 extents of a thread tile for'),
    (SRC, r'(\{\}|\d+) points of a thread along a dimension', r'a thread tile of \1 along a dimension'),
    (SRC, r'has (\{\}|\d+) points of a thread;', r'has a thread tile of \1;'),
    (SRC, r'has points where its threads cannot take several', 'has a thread tile where its threads cannot take several values'),
    
    (SRC, rf'\b([Pp])oints{W}of{W}a{W}thread\b(?!{W}tile)', r'\1oints of a thread tile'),
    (SRC, rf"\ba{W}thread's{W}points\b", 'a thread tile'),  (SRC, rf"\bthe{W}thread's{W}points\b", 'the thread tile'), (SRC, rf"\bA{W}thread's{W}points\b", 'Points of a thread tile'),
    
    # places with a word of their own
    ('src/frontend/cuda/parse_written.cpp', rf'moves control to places', 'moves control to labels'), ('src/frontend/cuda/parse_written.h', r'line 0 for places', 'line 0 for locations'),
    (SRC, r'-> place threads otherwise', '-> arrange threads otherwise'), ('src/frontend/affine/forward_loads.cpp', r'any place in its scope', 'any position in its scope'),
    ('src/kernel/emitted.cpp', rf"a point's place", "a point's index"), ('src/ir/flat_subscript.h', r'the place j in it', 'the column j in it'),
    ('src/lower/reduction.h', r'`instance` is the code for the instance number `place`; `places` is how many there are', '`instance` is the code of one instance, whose number is nw_instance; `instanceCount` is how many there are'),
    ('runtime/internal.h', r'Whether there is a place for entries', 'Whether there is room for entries'), ('runtime/tool/parts.c', r'where the two are no place', 'where the two make no sense'),
    ('src/tune/database.*', rf'whatever is in our own place', 'whatever is in our own folder'), ('src/tune/database.*', rf'no such place', 'no such file'),
    ('src/tune/database.*', r'there is no place for the database of tuning results', 'there is nowhere to keep the database of tuning results'),
    ('src/support/integer_program.cpp', r'find no place', 'find no room'), ('src/estimate/launch_estimate.cpp', r'gets its place', 'gets its multiprocessor'),
    ('src/report/explanation_json.cpp', r'"place"', '"mapping"'),
    (SRC, r'\ball instances fold into one element\b', 'all instances reduce into one element'),
    (SRC, r'\beach thread folds for itself\b', 'each thread reduces on its own'),
    (SRC, r'\bfolds? for itself\b', 'reduces on its own'),
    (SRC, rf'\bfold{W}for{W}themselves\b', 'reduce on their own'),
    (SRC, r'(?<=\{\})fold (?=\{\})', 'reduce '),
    (SRC, r'\bfold (?=[a-z_0-9]+ by\b)', 'reduce '),
    (SRC, rf'\b(folds|reductions){W}that{W}are{W}spread\b', 'block reductions'),
    (SRC, rf'\b(fold|reduction){W}that{W}is{W}spread\b', 'block reduction'),
    # nouns
    (SRC, rf'\b({DET}{W})folds\b', r'\1reductions'),
    (SRC, rf'\b((?:a|A|the|The|each|Each|no|one|such|of|whose|this|first|second|any|as|logical|is|by|every|same|its|own|another|for|short|long|plain|carried)(?:{W}a)?{W})fold\b', r'\1reduction'),
    # verbs
    (SRC, rf'\b((?:thread|it|that|which|body|statement|step|block|one|column|clause|who|something|kernel|nobody|loop|thing){W})folds\b', r'\1reduces'),
    (SRC, rf'\bfolds(?={W}(?:into|it\b|those|what|the{W}partial|whether))', 'reduces'),
    (SRC, rf'\b((?:that|which|who|they|to|only|not|cannot|can|may|could|would|both|instances|threads|steps|iterations|statements|ends|values|loops|clauses|kernels|them|must|will|does){W}(?:only{W})?)fold\b', r'\1reduce'),
    (SRC, rf'\bfold(?={W}(?:into|each|over))', 'reduce'),
    # the rest
    (SRC, r'\bfold\b', 'reduction'), (SRC, r'\bfolds\b', 'reductions'),
    (SRC, r'\bFold\b', 'Reduce'), (SRC, r'\bFolds\b', 'Reductions'),
    (SRC, r'\bfolded\b', 'reduced'), (SRC, r'\bFolded\b', 'Reduced'),
    (SRC, r'\bfolding\b', 'reducing'),
    # block reduction
    (SRC, r'--no-spread\b', '--no-block-reduction'), (SRC, r'--no-joining\b', '--no-fusion'),
    # local ids
    (SRC, r'\blane\.(?=[xyz]\b)', 'local.'), (SRC, r'\blane\.(?=\")', 'local.'),
    # delinearization
    (SRC, r'\bunflattened\b', 'delinearized'), (SRC, r'\bunflattening\b', 'delinearization'),
    (SRC, r'\bunflatten\b', 'delinearize'),
]

IN_CODE = [
    ('src/* tests/unit/* tests/fuzz/* tests/mutation/*', r'(?<=[.>])together\b(?!\()', 'minBlocksPerSm'),
    ('src/* tests/*', r'(?<=[.>])join\b(?!\()', 'fuse'),
]
NOSTAT = 'src/plan/* src/lower/* src/tune/knobs.cpp src/tune/forms.* src/report/* src/verify/* src/kernel/* src/estimate/* tests/unit/* tests/fuzz/* tests/mutation/* tests/run_races.py tests/run_emulation.py tests/run_mutation.py tests/run_features.py bench/sweep.py docs/plan.md docs/internals.md docs/guide.md docs/explain.md docs/trust.md docs/roadmap.md docs/measuring.md tests/stages/*'
PROSE += [
    (NOSTAT, r'(?<=[\"\'])spread(?=\\?[\"\'])', 'blockReduction'),
    (NOSTAT, r'(?<=[\"\'])join(?=\\?[\"\'])', 'fuse'), (SRC, r'`join`', '`fuse`'), (SRC, r'`spread`', '`blockReduction`'),
    (SRC, r'the block over which kernel (\S+) spreads its reduction is too large', r'the block of kernel \1\'s block reduction is too large'),
    (SRC, r'kernel (\S+) spreads its reduction over too many blocks', r'the block reduction of kernel \1 has too many blocks'),
    (SRC, r'spreads a reduction, but has none that threads could share out', 'has a block reduction, but no reduction that the threads of a block could share'),
    (SRC, r'spreads the loop over', 'has a block reduction over'),
    (SRC, r'spreads a reduction over a block that is not fit for it', 'has a block reduction with a block that does not fit'),
    (SRC, r'\bspreads (?:a|its|the) reduction\b', 'has a block reduction'),
    (SRC, r'a reduction is spread that cannot be', 'a reduction cannot be shared by a block'),
    (SRC, rf'\b([Rr])eductions{W}spread{W}over{W}lanes', r'\1eductions shared by lanes'),
    (SRC, rf'\bspread{W}and{W}(?:joined|fused){W}reductions', 'block and fused reductions'),
    (SRC, rf'\bspread{W}reductions', 'block reductions'), (SRC, rf'\bspread{W}reduction\b', 'block reduction'),
    (SRC, rf'\breductions{W}are{W}spread\b', 'reductions are shared by the block'),
    (SRC, rf'\bcould{W}(both{W})?be{W}spread\b', r'could \1be block reductions'),
    (SRC, rf'\b(can|cannot){W}be{W}spread\b', r'\1 be a block reduction'),
    (SRC, rf'\btoo{W}short{W}to{W}be{W}spread\b', 'too short for a block reduction'),
    (SRC, rf'\bon{W}it{W}is{W}spread\b', 'on the block shares it'),
    (SRC, rf'\bit{W}is{W}not{W}spread\b', 'there is no block reduction'), (SRC, rf'0: always{W}spread\b', '0: always'),
    (SRC, rf'What{W}is{W}joined{W}is{W}not{W}spread', 'What is fused has no block reduction'),
    (SRC, rf'\bsteps{W}are{W}joined{W}that{W}cannot{W}be', 'steps cannot be fused'),
    ('src/plan/* src/lower/* src/tune/* src/report/* src/kernel/* src/verify/* src/estimate/* src/poly/distribute.* tests/unit/* tests/fuzz/* tests/*.py docs/* tests/stages/*', r'(?<![\w.])joined\b(?!\()', 'fused'),
    ('src/plan/* src/lower/* src/tune/* src/report/* src/kernel/* src/verify/* src/poly/distribute.* tests/unit/* docs/*', r'(?<![\w.])Joined\b', 'Fused'),
    ('src/plan/* src/lower/* src/tune/* src/report/* docs/* tests/*', r'(?<![\w.])joining\b', 'fusion'),
    ('src/poly/distribute.*', r'\bJoins neighbours', 'Fuses neighbours'),
]

PROSE += [
    (SRC, r'\bnw_fold_', 'nw_reduction_'), ('tests/stages/*', r'(?<![\w])_folded\b', '_reduced'),
    ('tests/stages/*', r'(?<=NOT: )_spread\b', '_block_reduction'), ('tests/stages/*', r'(?<=NOT: )spread\b', 'blockReduction'),
    ('tests/stages/snapshot.c', r'\bFOLD\b', 'REDUCE'), ('tests/mutation/*', r'\b([jJ])oined\b', lambda m: ('F' if m.group(1) == 'J' else 'f') + 'used'),
    ('tests/run_emulation.py', r'\bjoins reductions', 'fuses reductions'),
]

MODE = 'src/emit/* runtime/cuda_streams.c runtime/nestwarp_rt.* runtime/probe/cuda.c runtime/probe/host.c runtime/resident.c runtime/sequences.c'
KEEPPLACE = 'pl\x02ce'
VERIFY = 'src/verify/checks/* src/verify/readers/* src/verify/*.*'
PROSE += [
    (MODE, r'\bint form;', 'int mode;'), (MODE, r'\bshape->form\b', 'shape->mode'), (MODE, r'\bnw_form\b', 'nw_mode'),
    # forms: one meaning is left, the kernel form
    (SRC, rf'\bcompact{W}form\b', 'compact code'), (SRC, rf'\blaunch form\b', 'launch mode'),
    (SRC, rf'\bof{W}another{W}form\b', 'of another shape'), (SRC, rf'\bdoes{W}not{W}have{W}the{W}form\b', 'does not have the shape'),
    (SRC, rf'\bof{W}the{W}same{W}form\b', 'of the same shape'), (SRC, rf'\bthe{W}form{W}of{W}the{W}window', 'the shape of the window'),
    (SRC, rf'\bwithout{W}affine{W}form\b', 'that are not affine'), (SRC, rf'\bin{W}the{W}form{W}of{W}the{W}paper', 'as in the paper'),
    (SRC, rf'\bis a linear form in', 'is a linear expression in'), (SRC, r'// Forms of subscripts', '// Affine subscripts'),
    (SRC, rf"An error of Clang's form", "An error as Clang writes it"), (SRC, rf'\btheir true and false forms', 'their true and false variants'),
    (SRC, rf'\bthe forms of the paper', 'the annotations of the paper'),
    ('src/lower/window_search.cpp', rf'// The form where', '// The subscript where'),
    # places that are idioms stay
    (SRC, rf'\b([Ii]n){W}the{W}place{W}of\b', r'\1 ' + KEEPPLACE + ' of'),
    (SRC, rf'\b([Ii]n){W}place{W}of\b', r'\1 ' + KEEPPLACE + ' of'),
    (SRC, rf'\b([Tt]akes?|took|taking)({W}the)?({W}(?:its|their|nobody.s))?{W}place\b', lambda m: m.group(0).replace('place', KEEPPLACE)),
    (SRC, rf"\b(its|their|element's|variable's)({W})place\b", r'\1\2' + KEEPPLACE),
    (SRC, rf'\b([Ii]n{W}|last{W}|better{W}|first{W}|free{W}|wrong{W})place\b', r'\1' + KEEPPLACE),
    (SRC, rf'\bchange{W}places\b', 'swap'), (SRC, rf'\bbe(nt|nd)({W}a{W}(?:tree|region))?({W}|,{W})?in{W}one{W}place', r'be\1\2 at one point'),
    (SRC, r'"places"', '"positions"'), (SRC, r'`places`', '`positions`'),
    # places in memory, in text, in a schedule
    (SRC, rf'\ba{W}place{W}in{W}the{W}source', 'a location in the source'), (SRC, rf'\bA{W}place{W}in{W}the{W}(source|user|main|text)', r'A location in the \1'),
    ('src/support/*', r'\bplace\b', 'location'), ('src/support/process.cpp', r'Processes and places', 'Processes and folders'),
    ('src/verify/interpreter/code.h src/verify/interpreter/translate* src/verify/interpreter/execute*', r'\bplace(s?)\b', r'lvalue\1'),
    ('src/verify/interpreter/*', r'\bplace(s?)\b', r'index\1'),
    (VERIFY + ' tests/unit/verify*', r'\bplace(s?)\b', r'position\1'),
    (VERIFY, r'\bA place\b', 'A position'),
    ('src/lint/lint.h', r'by place\b', 'by location'), ('src/lint/*', r'\bplace(s?)\b', lambda m: 'address' + ('es' if m.group(1) else '')),
    ('src/lint/*', r'\bPlace(s?)\b', lambda m: 'Address' + ('es' if m.group(1) else '')),
    ('src/ir/tree.h', r'args\[0\], a place in faster memory', 'args[0], a copy in faster memory'),
    ('src/ir/written_kernel.h src/frontend/cuda/*', r'\bplace(s?)\b', r'lvalue\1'), ('src/ir/written_kernel.h', r'\bPlaces\b', 'Lvalues'),
    ('src/frontend/c/record_accesses.*', r'places directly in it', 'lvalues directly in it'),
    ('src/frontend/c/* src/frontend/openacc/*', r'\bplace(s?)\b', r'position\1'),
    ('src/check/* src/frontend/* src/kernel/* src/poly/* src/estimate/* src/ir/*', r'\bplace(s?)\b', r'element\1'),
    ('src/check/*', r'\bPlaces\b', 'Elements'), ('src/check/*', r'\ba element', 'an element'),
    ('src/check/* src/frontend/* src/kernel/* src/poly/* src/estimate/* src/ir/*', r'\ba element\b', 'an element'),
    ('src/check/* src/frontend/* src/kernel/* src/poly/* src/estimate/* src/ir/*', r'\bA element\b', 'An element'),
    ('src/lower/step_code.* src/lower/reduction.*', r'\bplace(s?)\b', r'instance\1'),
    ('src/lower/*', r'\bplace(s?)\b', r'slot\1'),
    ('src/*', r'\bplace(s?)\b', r'position\1'),
    ('tests/unit/strips.cpp tests/unit/jam.cpp tests/unit/reductions.cpp tests/unit/rename.cpp', r'\bplace(s?)\b', r'element\1'), ('tests/unit/* tests/fuzz/* tests/mutation/*', r'\bplace(s?)\b', r'position\1'),
    ('runtime/* docs/* README.md', r'\bplace(s?)\b(?!_)', r'location\1'), ('runtime/* docs/*', r'\bPlace(s?)\b', r'Location\1'),
    (SRC, 'pl\x02ce', 'place'),
    # moved-back tiles
    (SRC, rf'\bmoved-back{W}tiles', 'tiles that are shifted inwards'), (SRC, rf'\bmoved{W}back\b', 'shifted inwards'),
]

PROSE += [(SRC, r'\ba (lvalue|address|element|index|instance)\b', r'an \1'), (SRC, r'\bA (lvalue|address|element|index|instance)\b', r'An \1')]

PROSE += [('docs/internals.md', r'^(.*)$', r'\1')]
for name, file in {'blockReduction': 'block_reduction', 'fuse': 'fusion', 'threadTile': 'thread_tile', 'boundaryKernel': 'boundary_kernel'}.items():
    PROSE.append(('docs/internals.md', '`' + name + '`(?=: |, `)', '`' + file + '`'))

# Names of before, where they are told as such.
MASK = [r'kernels\.(?:tiles\.)?(?:spread|join|points|frame|least|together|ahead|inside|buffers|run|length|vectors|windows|vectorsFrom|windowsFrom)\b(?:\.\w+)*',
        r'"--no-" ?"(?:spread|joining)"']

PROSE += [('src/plan/share_split.h', r'and 1 \+ spread', 'and 1 + range'), ('docs/roadmap.md', r'\bjoin\.cpp', 'fusion.cpp'), ('docs/roadmap.md', r'`Choose` \(spread;', '`Choose` (block reductions;'), ('docs/trust.md', r'unit/spread\b', 'unit/block_reduction'),
          ('docs/explain.md', r'compilers join to wider', 'compilers merge into wider'), ('src/cli/cc_command.cpp', r'its kernels, joined', 'its kernels, linked'), ('src/poly/privatize.cpp', r'joined by flow', 'connected by flow')]

PROSE += [('src/lower/*', r'// Frames of points\.', '// Boundary kernels.'), ('src/lower/*', r'inside the frame', 'inside the boundary'), ('src/lower/lower.cpp', r'else wide points, else', 'else windows, else')]
SCOPED_NAMES.append(('src/lower/lower.cpp', {'kMostTogether': 'kMostMinBlocks'}))
IDENTIFIERS.insert(0, ('src/lower/lower.cpp', {'kMostTogether': 'kMostMinBlocks'}))
