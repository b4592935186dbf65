#include "racing/advice/records_codec.hpp"

#include "racing/advice/speed_history.hpp"
#include "racing/statistics/byte_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace photofinish::racing {
namespace {

constexpr std::string_view product = "photofinish advice ";
constexpr std::string_view magic = "photofinish advice 2\n", magic_1 = "photofinish advice 1\n";
constexpr std::size_t longest_name = 1024;
constexpr float largest_figure = 1e9f;
constexpr std::uint64_t most_minutes = advice_minutes + minutes_of_slot, most_slots = 64;
// The largest minute that is accepted. It is about two thousand years after 1970, so that sums of minutes cannot
// overflow.
constexpr std::int32_t last_minute = std::numeric_limits<std::int32_t>::max() / 2;

std::int32_t read_time(byte_reader& from) { return static_cast<std::int32_t>(from.number(last_minute)); }
void put_time(byte_writer& out, std::int32_t value) { out.number(static_cast<std::uint64_t>(value < 0 ? 0 : value)); }

void put(byte_writer& out, const ttft_shape::bins& bins) {
  for (const float each : bins) out.real(each);
}

ttft_shape::bins read_bins(byte_reader& from) {
  ttft_shape::bins made{};
  for (float& each : made) each = from.real(0, largest_figure);
  return made;
}

void put(byte_writer& out, const target_record& record) {
  out.real(static_cast<float>(record.rho));
  out.real(static_cast<float>(record.load_slope));
  out.number(record.minutes.size());
  for (const target_minute& each : record.minutes) {
    put_time(out, each.minute);
    out.real(each.level);
    out.number(each.attempts);
    out.number(each.failed);
    out.number(each.hangs);
    out.number(each.jumps);
  }
  out.number(record.slots.size());
  for (const target_slot& each : record.slots) {
    put_time(out, each.number);
    put(out, each.shape.seen());
    put(out, each.shape.cut());
    out.bins(each.speed);
  }
}

// Rejects entries that are not sorted by time, because the code that uses the entries relies on this order.
template <class Entry>
void check_order(byte_reader& from, const std::vector<Entry>& all, std::int32_t Entry::*time) {
  if (all.size() > 1 && all.back().*time <= all[all.size() - 2].*time) from.fail();
}

target_record read_target(byte_reader& from) {
  target_record made;
  made.rho = static_cast<double>(from.real(0, 1));
  made.load_slope = static_cast<double>(from.real(0, largest_figure));
  const std::uint64_t minutes = from.number(most_minutes);
  for (std::uint64_t i = 0; i < minutes && from.is_fine(); ++i) {
    target_minute& each = made.minutes.emplace_back();
    each.minute = read_time(from);
    each.level = from.real(-100, 100);
    each.attempts = static_cast<std::uint16_t>(from.number(std::numeric_limits<std::uint16_t>::max()));
    each.failed = static_cast<std::uint16_t>(from.number(each.attempts));
    each.hangs = static_cast<std::uint8_t>(from.number(std::numeric_limits<std::uint8_t>::max()));
    each.jumps = static_cast<std::uint8_t>(from.number(1));
    check_order(from, made.minutes, &target_minute::minute);
  }
  const std::uint64_t slots = from.number(most_slots);
  for (std::uint64_t i = 0; i < slots && from.is_fine(); ++i) {
    target_slot& each = made.slots.emplace_back();
    each.number = read_time(from);
    const ttft_shape::bins seen = read_bins(from);
    each.shape.restore(seen, read_bins(from));
    each.speed = from.bins();
    check_order(from, made.slots, &target_slot::number);
  }
  return made;
}

void put(byte_writer& out, const route_slot& slot) {
  put_time(out, slot.number);
  for (const sketch* each : {&slot.first_token.seen, &slot.first_token.censored, &slot.finish.seen, &slot.prompts,
                             &slot.answers})
    out.bins(*each);
  out.number(slot.runs.size());
  for (const auto& [target, runs] : slot.runs) {
    out.sized_text(target);
    out.number(runs.starts);
    out.number(runs.wins);
    out.number(runs.losses);
    out.number(runs.won_tokens);
    out.number(runs.lost_tokens);
  }
  for (const prompt_sum& each : slot.conversations.by_cause) {
    out.number(each.requests);
    out.number(each.continued);
    out.number(each.nano_usd);
  }
}

enum class file_version { one, two };

prompt_sum read_prompts(byte_reader& from) {
  prompt_sum made;
  made.requests = static_cast<std::uint32_t>(from.number(std::numeric_limits<std::uint32_t>::max()));
  made.continued = static_cast<std::uint32_t>(from.number(made.requests));
  made.nano_usd = from.number();
  return made;
}

route_slot read_slot(byte_reader& from, file_version version) {
  route_slot made;
  made.number = read_time(from);
  for (sketch* each : {&made.first_token.seen, &made.first_token.censored, &made.finish.seen, &made.prompts,
                       &made.answers})
    *each = from.bins();
  const std::uint64_t runs = from.number(speed_history::max_attempts);
  constexpr std::uint64_t most_runs = std::numeric_limits<std::uint32_t>::max();
  for (std::uint64_t i = 0; i < runs && from.is_fine(); ++i) {
    run_counts& each = made.runs[from.text(longest_name)];
    for (std::uint32_t* value : {&each.starts, &each.wins, &each.losses})
      *value = static_cast<std::uint32_t>(from.number(most_runs));
    each.won_tokens = from.number();
    each.lost_tokens = from.number();
  }
  if (version == file_version::two)
    for (prompt_sum& each : made.conversations.by_cause) each = read_prompts(from);
  return made;
}

void put(byte_writer& out, const route_record& record) {
  out.number(record.minutes.size());
  for (const route_minute& each : record.minutes) put_time(out, each.minute), out.number(each.requests);
  out.number(record.slots.size());
  for (const route_slot& each : record.slots) put(out, each);
}

route_record read_route(byte_reader& from, file_version version) {
  route_record made;
  const std::uint64_t minutes = from.number(most_minutes);
  for (std::uint64_t i = 0; i < minutes && from.is_fine(); ++i) {
    route_minute& each = made.minutes.emplace_back();
    each.minute = read_time(from);
    each.requests = static_cast<std::uint32_t>(from.number(std::numeric_limits<std::uint32_t>::max()));
    check_order(from, made.minutes, &route_minute::minute);
  }
  const std::uint64_t slots = from.number(most_slots);
  for (std::uint64_t i = 0; i < slots && from.is_fine(); ++i) {
    made.slots.push_back(read_slot(from, version));
    check_order(from, made.slots, &route_slot::number);
  }
  return made;
}

template <class Records>
void put_all(byte_writer& out, const Records& all) {
  out.number(all.size());
  for (const auto& [name, record] : all) {
    out.sized_text(name);
    put(out, record);
  }
}

}  // namespace

std::string encode(const speed_records& records) {
  byte_writer out;
  out.text(magic);
  put_all(out, records.targets);
  put_all(out, records.routes);
  return std::move(out).finish();
}

std::variant<speed_records, std::string> decode_advice(std::string_view bytes) {
  const file_version version = bytes.starts_with(magic_1) ? file_version::one : file_version::two;
  const file_body body = open_file(bytes, {product, version == file_version::one ? magic_1 : magic, "advice"});
  if (body.problem) return *body.problem;
  byte_reader from(body.bytes);
  speed_records made;
  const std::uint64_t targets = from.number(speed_history::max_targets);
  for (std::uint64_t i = 0; i < targets && from.is_fine(); ++i) {
    const std::string name = from.text(longest_name);
    made.targets[name] = read_target(from);
  }
  const std::uint64_t routes = from.number(speed_history::max_routes);
  for (std::uint64_t i = 0; i < routes && from.is_fine(); ++i) {
    const std::string name = from.text(longest_name);
    made.routes[name] = read_route(from, version);
  }
  if (!from.is_fine() || !from.is_at_end()) return "contains values that are out of range";
  return made;
}

}  // namespace photofinish::racing
