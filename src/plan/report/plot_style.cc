#include "plan/report/plot_style.h"

namespace surety::plan {
namespace {

// These rules are added to the style that our pages share. The colours of layers are Okabe and
// Ito's set for colour-blind readers, light enough for dark letters in both modes. Hatches
// distinguish the layers without colour.
constexpr std::string_view kStyle = R"css(
svg path.edge{stroke:var(--blue);stroke-width:1;stroke-dasharray:3 3}
svg path.ours{stroke:var(--ink);stroke-width:3}
svg path.other{fill:var(--soft)}svg path.too-low{stroke:var(--bad);stroke-width:2}
svg text.strong{font-weight:650;fill:var(--ink);paint-order:stroke;stroke:var(--back);
stroke-width:4px}
svg text.on-layer{font-weight:650;font-size:14px;fill:#14171a;paint-order:stroke;stroke:#fff;
stroke-width:4px;stroke-linejoin:round}
.layer{stroke:var(--card);stroke-width:1}
svg path.layer-1,rect.layer-1{fill:#56b4e9}svg path.layer-2,rect.layer-2{fill:#e69f00}
svg path.layer-3,rect.layer-3{fill:#009e73}svg path.layer-4,rect.layer-4{fill:#f0e442}
svg path.layer-5,rect.layer-5{fill:#cc79a7}svg path.layer-6,rect.layer-6{fill:#b8bec5}
svg path.hatch-1,rect.hatch-1{fill:none}svg path.hatch-2,rect.hatch-2{fill:url(#hatch-2)}
svg path.hatch-3,rect.hatch-3{fill:url(#hatch-3)}svg path.hatch-4,rect.hatch-4{fill:url(#hatch-4)}
svg path.hatch-5,rect.hatch-5{fill:url(#hatch-5)}svg path.hatch-6,rect.hatch-6{fill:url(#hatch-6)}
svg.defs{position:absolute;width:0;height:0}
svg.swatch{display:inline-block;width:1.5rem;height:1rem;margin-right:.45rem;vertical-align:middle}
#page pattern path{stroke:#14171a;stroke-width:1.1;opacity:.6}#page pattern circle{fill:#14171a;
opacity:.6}
table.facts th{width:9.5rem;color:var(--soft);font-weight:500}
table.facts td strong{font-weight:650}table.facts p{margin:.35rem 0 0}
table.facts p:first-child{margin:0}
.key.k-edge::before{height:.7rem;border:1px dashed var(--blue);border-width:1px 0;
background:var(--band)}
tr.ours td,tr.ours th{font-weight:650}
@media (max-width:36rem){table.facts th,table.facts td{display:block;width:auto;border:0;
padding:.1rem 0}table.facts tr{display:block;border-bottom:1px solid var(--rule);padding:.5rem 0}
table.stack td{display:flex;gap:1rem;text-align:left}table.stack td::before{flex:0 0 10.5rem}}
)css";

constexpr std::string_view kHatches = R"svg(<svg class="defs" aria-hidden="true"><defs>
<pattern id="hatch-2" width="8" height="8"
patternUnits="userSpaceOnUse"><path d="M0 8L8 0M-2 2L2 -2M6 10L10 6"/></pattern>
<pattern id="hatch-3" width="8" height="8"
patternUnits="userSpaceOnUse"><circle cx="2" cy="2" r="1.1"/>
<circle cx="6" cy="6" r="1.1"/></pattern>
<pattern id="hatch-4" width="8" height="8"
patternUnits="userSpaceOnUse"><path d="M0 0L8 8M-2 6L2 10M6 -2L10 2"/></pattern>
<pattern id="hatch-5" width="8" height="8"
patternUnits="userSpaceOnUse"><path d="M0 4H8"/></pattern>
<pattern id="hatch-6" width="8" height="8"
patternUnits="userSpaceOnUse"><path d="M0 8L8 0M0 0L8 8"/></pattern>
</defs></svg>
)svg";

}  // namespace

std::string_view plot_style() { return kStyle; }
std::string_view plot_hatches() { return kHatches; }

}  // namespace surety::plan
