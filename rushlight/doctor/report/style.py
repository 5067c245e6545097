"""The look of the page: colours for light and dark, cards, plots; no font or script from elsewhere."""

CSS = """
:root { color-scheme: light dark; --ink: #1d2129; --quiet: #5b6472; --paper: #fbfaf7; --card: #ffffff; --line:
  #dcd8cf;
  --error: #b3261e; --warning: #946200; --info: #1c5d99; --fix: #1d6b3a; --accent: #b4540a; --code: #f4f1ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --quiet: #a3a8b0; --paper: #16181c; --card: #1f2227;
--line: #383c44; --error: #ff8a80; --warning: #f2c14e; --info: #8ac6ff; --fix: #86d9a2; --accent: #ffab5e; --code:
  #282c33; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .7rem; }
p { margin: .4rem 0; } .quiet { color: var(--quiet); }
a, summary { color: inherit; } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px;
  border-radius: 4px; }
details.finding, section.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: .9rem 1.1rem; margin: .8rem 0; }
details.finding { border-left: 6px solid var(--mark); }
.error { --mark: var(--error); } .warning { --mark: var(--warning); } .info { --mark: var(--info); }
summary { cursor: pointer; font-weight: 600; } summary .id { color: var(--mark); }
summary .where { font-weight: 400; color: var(--quiet); font-family: ui-monospace, monospace; font-size: .9rem; }
pre { background: var(--code); border-radius: 8px; padding: .6rem .8rem; overflow-x: auto; font: .86rem/1.5
  ui-monospace, monospace; margin: .6rem 0; }
pre .number { color: var(--quiet); user-select: none; } pre .blamed { display: block; font-weight: 700;
  border-left: 3px solid var(--mark); margin-left: -.8rem; padding-left: calc(.8rem - 3px); }
pre u { text-decoration: underline wavy var(--mark); text-underline-offset: 3px; }
.fix { color: var(--fix); font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; } .scroll { overflow-x: auto; }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); white-space:
  nowrap; }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; }
svg { display: block; max-width: 100%; height: auto; } svg text { fill: var(--quiet); font: 12px system-ui,
  sans-serif; }
svg .curve { fill: none; stroke: var(--accent); stroke-width: 2; } svg .axis { stroke: var(--line); }
svg .box { fill: var(--code); stroke: var(--line); } svg .boxed { fill: var(--ink); font: 13px ui-monospace,
  monospace; }
svg .edge { stroke: var(--quiet); stroke-width: 1.5; } svg .cut { stroke: var(--error); stroke-width: 2.5; }
svg .cut-box { fill: none; stroke: var(--error); stroke-width: 2.5; } svg .cut-word { fill: var(--error);
  font-weight: 700; }
"""
