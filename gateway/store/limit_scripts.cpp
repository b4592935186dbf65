#include "gateway/store/limit_scripts.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

// The time in which an empty bucket becomes full. It must be the same as in token_bucket.
constexpr std::chrono::microseconds whole = std::chrono::minutes(1);
constexpr std::chrono::microseconds longest = std::chrono::hours(1);
// The largest debt of a bucket, including the deferred part. It must be the same as in reservation_bucket.
constexpr std::chrono::microseconds longest_owed = std::chrono::hours(25);
constexpr std::string_view permit_lease_ms = "10000";

std::string micros(std::chrono::microseconds time) { return std::to_string(std::max<std::int64_t>(0, time.count())); }

}  // namespace

store_command lease_command(const script_names& scripts, const std::string& prefix, std::string_view bucket,
                            const lease_request& wanted) {
  store_command made{"EVALSHA",
                     scripts[static_cast<std::size_t>(store_script::lease)],
                     "1",
                     prefix + ":rate:" + std::string(bucket),
                     micros(std::min(wanted.charge, longest_owed)),
                     micros(std::min(wanted.want, longest)),
                     micros(std::min(wanted.least, longest)),
                     micros(std::min(wanted.unit, longest)),
                     std::to_string(std::max<std::uint64_t>(1, wanted.gateways))};
  for (const lease_request::returned& each : wanted.back) {
    if (each.amount.count() <= 0) continue;
    made.push_back(micros(std::min(each.amount, longest)));
    made.push_back(micros(each.taken_ago));
  }
  return made;
}

std::optional<lease_reply> lease_in(const store_reply& reply) {
  if (reply.kind != reply_kind::list || reply.list.size() != 2) return std::nullopt;
  const auto given = reply.list[0].number(), missing = reply.list[1].number();
  if (!given || !missing) return std::nullopt;
  return lease_reply{std::chrono::microseconds(std::clamp<std::int64_t>(*given, 0, whole.count())),
                     std::chrono::microseconds(std::clamp<std::int64_t>(*missing, 0, longest.count()))};
}

store_command permit_command(const script_names& scripts, const std::string& prefix, std::string_view account,
                             const permit_request& wanted) {
  return {"EVALSHA",
          scripts[static_cast<std::size_t>(store_script::permit)],
          "1",
          prefix + ":permits:" + std::string(account),
          wanted.gateway,
          std::to_string(wanted.wanted),
          std::to_string(wanted.most),
          std::string(permit_lease_ms),
          std::to_string(wanted.number)};
}

}  // namespace photofinish::gateway
