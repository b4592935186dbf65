// Scans JSON while it arrives. The result must equal simdjson's result for the whole text, for arbitrary bytes and however they are split
// into reads. The scan finds exactly the members of the text, and never reads beyond the received bytes.
#include "proxy/json/json_scan.hpp"
#include "proxy/json/member_index.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <simdjson.h>

#include <algorithm>

namespace photofinish::fuzz {
namespace {

// True if simdjson and the scan may disagree about whether this text is valid. simdjson rejects unpaired surrogates and numbers that do not
// fit a double. The scan rejects a byte order mark and deeply nested JSON, which simdjson accepts.
bool may_differ(simdjson::error_code error, std::string_view text) {
  using namespace simdjson;
  const auto open = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return byte == '[' || byte == '{';
  }));
  return error == NUMBER_ERROR || error == STRING_ERROR || error == DEPTH_ERROR ||
         open > proxy::json_scan::max_depth || text.starts_with("\xEF\xBB\xBF");
}

bool scan_in(const pieces& cut, std::string_view text, proxy::json_scan& scan) {
  std::size_t come = 0;
  for (const std::string_view piece : cut) {
    come += piece.size();
    const exact_bytes so_far(text.substr(0, come));
    if (!scan.see(so_far.view())) return false;
  }
  return scan.see(text) && scan.is_complete();
}

void check_members(const proxy::json_scan& scan, std::string_view text) {
  const proxy::member_index index(text);
  const auto members = scan.members(text);
  require(members.size() == std::min(index.members().size(), proxy::json_scan::kept_members), "its first members");
  for (std::size_t at = 0; at < members.size(); ++at) {
    const proxy::json_member& mine = members[at];
    const proxy::json_member& known = index.members()[at];
    require(mine.raw_key == known.raw_key && mine.value == known.value && mine.whole == known.whole, "their places");
  }
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  using namespace photofinish::fuzz;
  const exact_bytes bytes(as_text(data, std::min<std::size_t>(size, 4096)));
  const std::string_view text = bytes.view();
  proxy::json_scan whole, cut;
  const bool is_valid = scan_in({}, text, whole);
  require(scan_in(at_random(text), text, cut) == is_valid, "it does not matter how it is cut");
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const simdjson::error_code error = parser.parse(simdjson::padded_string(text)).get(object);
  if (!may_differ(error, text)) require(is_valid == (error == simdjson::SUCCESS), "simdjson agrees");
  if (is_valid) check_members(cut, text);
  return 0;
}
