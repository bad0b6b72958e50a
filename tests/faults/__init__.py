"""Real processes, killed, frozen and cut off at chosen moments; what must be true then is asserted from outside.

`boundaries` the moments of a run, counted and named, and dying at one of them
`child`      a process that works a workspace until nothing is due, or dies
`driver`     the same in this process: sweeps, virtual time, and an operator who reads the provider's log
`scene`      a workspace, its store on any engine, a provider and readers outside the processes that die
`invariants` what must be true of database, provider log and repository (I1-I19)

The thirty faults of the completed tables, section 8, by number:

    F01-F08            test_boundaries   killed at every commit and every call
    F09-F19, F22, F30  test_provider     cut, throttled, stalled, forgotten, nonsense; cancelled; drifted
    F20, F21           test_meetings     frozen past the lease; started together
    F23, F24           test_webhooks     repeated, late, forged, old; acknowledged, then a crash
    F25, F26           test_storage      database and content repository locked, lost, full, moved

Not here: F27 (a push whose answer is lost), F28 (a remote that diverged) and F29 (a person's revert). They are
about the remote and about adopting what people push, and belong with those parts.
`test_numbers` keeps this list true.

Beyond the thirty: `test_clock` (hosts apart, steps, daylight saving, days asleep, storms), `test_loop` (what a
loop outlives, how it stops), `test_burst` (many editions against every fault), `test_soak` (a demonstration, killed
and resumed).
"""
