#include "page/page_style.h"

namespace surety::page {

namespace {

// Every colour of text has a contrast of at least 4.5 to its background, in both modes.
constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--back:#fbfaf8;--card:#fff;--ink:#1d2125;--soft:#59626b;
--rule:#e3e1dc;
--blue:#1f5fa8;--band:#1f5fa826;--good:#17713f;--bad:#b3261e;--warn:#8a5300;--calm:#59626b}
@media (prefers-color-scheme:dark){:root{--back:#14171a;--card:#1b1f23;--ink:#e7e9eb;--soft:#a3acb5;
--rule:#30363c;--blue:#7db5f2;--band:#7db5f230;--good:#63c78f;--bad:#f08a80;--warn:#e0b060;
--calm:#a3acb5}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:56rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:2.1rem;line-height:1.2;margin:.1rem 0 .5rem;font-weight:650;letter-spacing:-.01em}
h2{font-size:1.15rem;margin:2.75rem 0 .6rem;font-weight:650}
p{margin:.4rem 0;max-width:46rem}
.over{color:var(--soft);margin:0;overflow-wrap:anywhere}
.verdict{border-left:.4rem solid var(--tone);padding:.1rem 0 .1rem 1.1rem;margin-bottom:1.75rem}
.verdict h1{color:var(--tone)}
.kept{--tone:var(--good)}.missed{--tone:var(--bad)}.infeasible{--tone:var(--warn)}
.stopped{--tone:var(--calm)}
.verdict ul{margin:.3rem 0;padding-left:1.1rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.5rem .9rem .5rem 0;border-bottom:1px solid var(--rule);
vertical-align:top}
thead th{color:var(--soft);font-weight:500;font-size:.875rem}
tbody th{font-weight:600}
td.number,th.number{text-align:right;white-space:nowrap}
tr.chosen td,tr.chosen th{font-weight:650}
td.share{min-width:9rem;color:var(--soft);font-size:.875rem}
.bar{height:.55rem;background:var(--blue);border-radius:.15rem;margin:.35rem 0 .1rem}
.note{color:var(--soft);font-size:.875rem}
td.time{white-space:nowrap;color:var(--soft)}
.text{overflow-wrap:anywhere}
.pass{color:var(--good);font-weight:600;white-space:nowrap}.fail{color:var(--bad);font-weight:600;
white-space:nowrap}
figure{margin:.5rem 0 0}
figcaption{color:var(--soft);font-size:.875rem;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;
margin-top:.25rem}
.key::before{content:"";display:inline-block;width:1.3rem;height:0;margin-right:.45rem;
vertical-align:middle;
border-top:2px solid var(--blue)}
.key.k-band::before{height:.7rem;border:0;background:var(--band)}
.key.k-median::before{border-top-style:dashed}
.key.k-target::before{border-color:var(--good)}
.key.k-switch::before{border-color:var(--soft);border-top-style:dotted}
.key.k-none::before{display:none}
svg{width:100%;height:auto;display:block;overflow:visible}
svg.narrow{display:none}
svg text{font-size:12px;fill:var(--soft);paint-order:stroke;stroke:var(--back);stroke-width:3px;
stroke-linejoin:round}
svg .end{text-anchor:end}svg .middle{text-anchor:middle}
svg path{fill:none}
svg .grid{stroke:var(--rule)}svg .axis{stroke:var(--soft);stroke-width:1}
svg path.band{fill:var(--band)}
svg path.median{stroke:var(--blue);stroke-width:1.4;stroke-dasharray:5 4}
svg path.course{stroke:var(--blue);stroke-width:1.2;opacity:.55}
svg path.strong{stroke-width:2.2;opacity:1}
svg path.whisker{stroke:var(--blue);stroke-width:1.4}
svg path.dot{fill:var(--blue);stroke:var(--card);stroke-width:1}
svg path.target{stroke:var(--good);stroke-width:1.6}svg text.target{fill:var(--good)}
svg path.deadline{stroke:var(--bad);stroke-width:1.2}svg text.deadline{fill:var(--bad)}
svg path.switch{stroke:var(--soft);stroke-dasharray:1.5 3}svg path.first{stroke:none}
svg path.join{fill:var(--good)}svg path.leave{fill:var(--soft)}svg path.lost{stroke:var(--bad);
stroke-width:2.4}
footer{margin-top:3rem;color:var(--soft);font-size:.875rem}
footer dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1.25rem;margin:0}
footer dd{margin:0;overflow-wrap:anywhere}
details summary{cursor:pointer}
@media (max-width:36rem){main{padding-top:1.5rem}svg.wide{display:none}svg.narrow{display:block}
h1{font-size:1.7rem}footer dl{display:block}footer dd{margin-bottom:.4rem}
table.stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table.stack tr,table.stack th,table.stack td{display:block;border:0;padding:.1rem 0}
table.stack tr{border-bottom:1px solid var(--rule);padding:.6rem 0}
table.stack td::before{content:attr(data-label);display:inline-block;width:6.2rem;
color:var(--soft);font-weight:400}}
@media print{:root{--back:#fff}body{font-size:10.5pt}main{max-width:none;padding:0}
h2{break-after:avoid}figure,tr{break-inside:avoid}svg.wide{display:block}svg.narrow{display:none}}
)css";

}  // namespace

std::string_view page_style() { return kStyle; }

}  // namespace surety::page
