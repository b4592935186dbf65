#include "gateway/bench/report/page_style.hpp"

#include "gateway/bench/number_text.hpp"

#include <string_view>

namespace photofinish::gateway::bench {
namespace {

// The style sheet of all pages. Colour-blind people can distinguish its colours, in light and in dark mode.
constexpr std::string_view style = R"(
:root{color-scheme:light dark;--page:#fbfbfa;--card:#fff;--ink:#1c1c1a;--soft:#63635e;--line:#e3e2dd;
--c0:#2f6fb7;--c1:#c26a13;--c2:#a1285f;--c3:#3d7d3a;--c4:#6b4fb3;--c5:#8a6d1a;--c6:#1f7f86;--c7:#5d5d5a}
@media(prefers-color-scheme:dark){:root{--page:#161615;--card:#1f1f1d;--ink:#ecebe6;--soft:#a3a29b;--line:#393834;
--c0:#6fa8e6;--c1:#e89a4a;--c2:#e57aae;--c3:#84c47f;--c4:#b19bef;--c5:#d6b95c;--c6:#63c5cc;--c7:#b5b4ad}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 20px 56px}
h1{font-size:24px;line-height:1.25;margin:0 0 4px}h2{font-size:17px;margin:36px 0 10px}
.sub{color:var(--soft);margin:0 0 24px;overflow-wrap:anywhere}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));gap:16px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 14px 6px}
figcaption{font-weight:600;margin-bottom:6px}figcaption span{color:var(--soft);font-weight:400}
svg{display:block;width:100%;height:auto}
.grid{stroke:var(--line)}.axis{stroke:var(--soft)}
.tick{font-size:12px;fill:var(--soft)}.tick.y{text-anchor:end}.tick.x{text-anchor:middle}
path{fill:none;stroke-width:2.25;stroke-linejoin:round}circle{stroke:var(--card);stroke-width:1.5}
path.s0{stroke:var(--c0)}path.s1{stroke:var(--c1)}path.s2{stroke:var(--c2)}path.s3{stroke:var(--c3)}
path.s4{stroke:var(--c4)}path.s5{stroke:var(--c5)}path.s6{stroke:var(--c6)}path.s7{stroke:var(--c7)}
circle.s0{fill:var(--c0)}circle.s1{fill:var(--c1)}circle.s2{fill:var(--c2)}circle.s3{fill:var(--c3)}
circle.s4{fill:var(--c4)}circle.s5{fill:var(--c5)}circle.s6{fill:var(--c6)}circle.s7{fill:var(--c7)}
.name{font-size:12px;font-weight:600}.n0{fill:var(--c0)}.n1{fill:var(--c1)}.n2{fill:var(--c2)}.n3{fill:var(--c3)}
.n4{fill:var(--c4)}.n5{fill:var(--c5)}.n6{fill:var(--c6)}.n7{fill:var(--c7)}
.range{stroke:var(--soft);stroke-width:1.25}
.words{font-size:17px;margin:0 0 24px;overflow-wrap:anywhere}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:7px 12px;text-align:right;white-space:nowrap;border-top:1px solid var(--line)}
thead tr:first-child>*{border-top:0}th{font-weight:600}thead th{color:var(--soft);font-size:13px}
th:first-child,td:first-child{text-align:left}.group{text-align:center}
details{margin-top:12px}summary{cursor:pointer;padding:4px 0}
ul{padding-left:20px;margin:0}li{margin:4px 0;overflow-wrap:anywhere}
)";

}  // namespace

std::string page_head(const std::string& title) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\"><title>" + title + "</title><style>" + std::string(style) +
         "</style></head><body><main>\n";
}

std::string number_cell(const std::optional<double>& value) {
  return "<td>" + (value ? number_text(*value) : "–") + "</td>";
}

}  // namespace photofinish::gateway::bench
