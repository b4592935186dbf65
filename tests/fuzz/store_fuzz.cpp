// Reads arbitrary bytes, up to a limit, as a reply of the shared store (Redis). The parsed reply does not depend on how the bytes are split
// into reads, and its size in memory is limited.
#include "gateway/housekeeping/shared/speed_sharing.hpp"
#include "gateway/store/fleet_queries.hpp"
#include "gateway/store/limit_scripts.hpp"
#include "gateway/store/spend/post_codec.hpp"
#include "gateway/store/spend/spend_ledger.hpp"
#include "gateway/store/store_reply.hpp"
#include "gateway/store/store_trouble.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::fuzz {
namespace {

using gateway::store_reply;

constexpr std::chrono::sys_seconds now{std::chrono::seconds(1'763'700'000)};

std::size_t elements_of(const store_reply& reply) {
  std::size_t count = reply.list.size();
  for (const store_reply& each : reply.list) count += elements_of(each);
  return count;
}

std::string shown(const store_reply& reply) {
  std::string text = std::to_string(static_cast<int>(reply.kind)) + ":" + std::to_string(reply.integer) + reply.text + "(";
  for (const store_reply& each : reply.list) text += shown(each);
  return text + ")";
}

struct reading {
  std::vector<store_reply> replies;
  bool is_broken = false;
};

template <class Length>
reading read_by(std::string_view bytes, Length next_length) {
  gateway::reply_reader reader;
  reading all;
  while (!bytes.empty() && !reader.is_broken()) {
    const std::size_t length = std::min(bytes.size(), next_length());
    const exact_bytes piece(bytes.substr(0, length));
    reader.feed(piece.view());
    bytes.remove_prefix(length);
    while (auto reply = reader.next()) all.replies.push_back(*std::move(reply));
  }
  all.is_broken = reader.is_broken();
  return all;
}

void check_shared(const store_reply& reply) {
  if (const auto lease = gateway::lease_in(reply)) {
    require(lease->given.count() >= 0 && lease->given <= std::chrono::minutes(1), "a slice is a bucket at most");
    require(lease->missing.count() >= 0 && lease->missing <= std::chrono::hours(1), "a debt is an hour at most");
  }
  for (const gateway::fleet_query& each : gateway::queries_in(reply)) {
    require(each.caller.size() <= 256 && each.gateway.size() <= 256, "names in a query are bounded");
    require(each.count <= 1'000 && each.window >= std::chrono::seconds(0), "and so are its numbers");
  }
  gateway::speed_sharing speeds("w", std::chrono::seconds(1));
  speeds.adopt({"a/m"});
  (void)speeds.due(now);
  std::uint64_t refused = 0;
  for (const auto& each : speeds.heard(now.time_since_epoch() / std::chrono::seconds(15), reply, now, refused)) {
    for (const auto& [key, series] : each.figures.series()) require(key.target == "a/m", "only targets are learned of");
    require(speeds.steps_of(each, now, {}).size() <= 8 * each.figures.series().size(), "and a few steps of each");
  }
}

void check(const store_reply& reply) {
  check_shared(reply);
  require(elements_of(reply) <= gateway::reply_reader::most_elements, "lists are bounded");
  if (reply.kind == gateway::reply_kind::error) {
    const gateway::store_trouble trouble = gateway::trouble_in(reply);
    require(trouble.detail.size() <= 160, "an error's text is bounded");
    require(std::none_of(trouble.detail.begin(), trouble.detail.end(), [](char byte) { return byte < 0x20 || byte > 0x7E; }),
            "an error's text can be shown");
  }
  if (const auto cooling = gateway::cooling_in(reply))
    for (const auto& [target, length] : *cooling)
      require(length.count() > 0 && length <= std::chrono::minutes(10), "no target cools for longer");
  (void)gateway::history_in(reply);
  gateway::spend_sum sum;
  if (const auto said = gateway::spend_reply_in(reply)) sum = said->sum;
  else if (const auto number = reply.number()) sum.nano_usd = *number;
  else return;
  gateway::spend_ledger ledger("w");
  const gateway::spend_reading account{"key:a", "1d.9", now + std::chrono::hours(1), 50, 50};
  ledger.read(account, now);
  ledger.answered(gateway::spend_post(ledger.open_posts(now).front()), sum);
  (void)ledger.heard("key:a", "1d.9", sum);
  const std::int64_t spent = ledger.spent(account, 1000);
  require(spent >= 0 && spent <= std::int64_t{1} << 62, "a sum is bounded");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const std::string_view bytes = fuzz::as_text(data, size);
  const fuzz::reading whole = fuzz::read_by(bytes, [&] { return bytes.size(); });
  auto random = fuzz::chance(bytes);
  const fuzz::reading cut = fuzz::read_by(bytes, [&] { return std::size_t{1} + random() % 7; });
  fuzz::require(whole.is_broken == cut.is_broken, "it is refused however it is cut");
  fuzz::require(whole.replies.size() == cut.replies.size(), "there are as many replies however it is cut");
  for (std::size_t each = 0; each < whole.replies.size(); ++each) {
    fuzz::require(fuzz::shown(whole.replies[each]) == fuzz::shown(cut.replies[each]), "they are the same however cut");
    fuzz::check(whole.replies[each]);
  }
  if (const auto kept = gateway::decode_spend(bytes))
    fuzz::require(gateway::decode_spend(gateway::encode_spend(*kept)) == kept, "posts and sums are kept as they are");
  return 0;
}
