// Reports of use over all gateways: fleet_keeping, continued.
#include "gateway/housekeeping/shared/fleet_keeping.hpp"

#include "gateway/usage/usage_codec.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

using std::chrono::sys_seconds;

constexpr std::size_t most_buckets_in_a_call = 50;     // lists of gateways
constexpr std::chrono::milliseconds between_looks{10};  // until another report has been read

// The store's bytes are untrusted: sums of amounts must not wrap.
bool is_plausible_sum(const used_amounts& amounts) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;
  return std::all_of(amounts_in_order.begin(), amounts_in_order.end(),
                     [&](const auto amount) { return amounts.*amount <= most; });
}

std::vector<shared_bucket> buckets_of(const usage_query& wanted, sys_seconds now) {
  const usage_shape shape;
  const bool is_hours = wanted.width == std::chrono::hours(1);
  const std::chrono::seconds width = wanted.width;
  const sys_seconds first = std::max(wanted.start, now - (is_hours ? shape.hours_kept : shape.days_kept));
  std::vector<shared_bucket> all;
  for (sys_seconds at = first - first.time_since_epoch() % width; at < wanted.end && at <= now; at += width)
    all.push_back({is_hours ? 'h' : 'd', at});
  return all;
}

std::string note_of_loss(const std::set<std::string>& names) {
  constexpr std::size_t most_shown = 10;
  std::string note = "the store has lost a part of the usage, or has values of another type in its place";
  std::size_t count = 0;
  for (const std::string& each : names)
    if (++count <= most_shown) note += (count == 1 ? ": of " : ", ") + each;
  return note + ". A gateway that runs writes its part again within a minute";
}

}  // namespace

// None: the store could not be read in time.
asio::awaitable<std::optional<std::vector<fleet_keeping::bucket_of_part>>> fleet_keeping::read_parts(
    store_client& client, std::vector<shared_bucket> buckets, proxy::instant deadline, lost_usage& lost) {
  std::vector<bucket_of_part> all;
  for (std::size_t from = 0; from < buckets.size(); from += most_buckets_in_a_call) {
    if (std::chrono::steady_clock::now() > deadline) co_return std::nullopt;
    const std::size_t to = std::min(buckets.size(), from + most_buckets_in_a_call);
    std::vector<store_command> commands;
    for (std::size_t each = from; each < to; ++each) commands.push_back(commands_.read_bucket(buckets[each]));
    const store_client::commands make = [&commands](const script_names&) { return commands; };
    const auto said = co_await client.call(make);
    if (!said) co_return std::nullopt;
    for (const store_reply& each : *said) lost.has_lists |= each.kind == reply_kind::error;
    for (std::size_t each = from; each < to; ++each)
      for (bucket_part& part : parts_in((*said)[each - from])) all.push_back({buckets[each], std::move(part)});
  }
  co_return all;
}

// False: the store could not be read in time, or has more rows than one report may hold.
asio::awaitable<bool> fleet_keeping::read_rows(store_client& client, std::vector<bucket_of_part> which,
                                               row_reader take, proxy::instant deadline, lost_usage& lost) {
  std::size_t count = 0;
  for (const bucket_of_part& each : which) {
    if (std::chrono::steady_clock::now() > deadline) co_return false;
    const std::vector<store_command> commands = commands_.read_rows(each.bucket, each.part);
    const store_client::commands make = [&commands](const script_names&) { return commands; };
    const auto said = co_await client.call(make);
    if (!said) co_return false;
    for (const store_reply& rows : *said) {
      if (rows.kind != reply_kind::list || rows.list.empty()) {
        lost.names.insert(each.part.name);
        continue;
      }
      for (std::size_t at = 0; at + 1 < rows.list.size(); at += 2, ++count)
        if (const auto share = decode_share(rows.list[at].text, rows.list[at + 1].text))
          if (is_plausible_sum(share->amounts)) take(each.bucket, each.part, *share);
      if (count > most_rows) co_return false;
    }
  }
  co_return true;
}

// A gateway's entry names the buckets that the store must have of its book.
void fleet_keeping::add_claims(lost_usage& lost, const std::vector<shared_bucket>& buckets,
                               const std::vector<bucket_of_part>& parts, const std::string& only) {
  const std::string own = ways_.usage().sharing().book();
  std::set<std::pair<std::string, shared_bucket>> stored;
  for (const bucket_of_part& each : parts) stored.insert({each.part.book, each.bucket});
  for (const fleet_entry& each : entries_) {
    if (each.book == own || (!only.empty() && each.name != only)) continue;
    const auto is_lost = [&](const shared_bucket& bucket) {
      return has_bucket(each.listed, bucket) && !stored.contains({each.book, bucket});
    };
    if (std::any_of(buckets.begin(), buckets.end(), is_lost)) lost.names.insert(each.name);
  }
}

// Whether the store was emptied, and not all running gateways have written their whole books since. None: the store
// could not be read.
asio::awaitable<std::optional<bool>> fleet_keeping::is_filling(store_client& client, sys_seconds begun) {
  const store_client::commands make = [this](const script_names&) {
    return std::vector<store_command>{commands_.read_begin()};
  };
  const auto said = co_await client.call(make);
  if (!said) co_return std::nullopt;
  const auto is_unwritten = [&](const fleet_entry& each) {
    return peers_.contains(each.run) && each.filled && *each.filled != begun;
  };
  co_return begin_in(said->front()) != begun || std::any_of(entries_.begin(), entries_.end(), is_unwritten);
}

asio::awaitable<bool> fleet_keeping::add_others(usage_report& into) {
  const std::shared_ptr<store_client> client = reader_;
  const std::string own = ways_.usage().sharing().book();
  const std::string only = into.wanted.gateway;
  const proxy::instant deadline = std::chrono::steady_clock::now() + usage_patience;
  const sys_seconds begun = begun_;
  const std::vector<shared_bucket> buckets = buckets_of(into.wanted, ways_.now());
  lost_usage lost;
  auto parts = co_await read_parts(*client, buckets, deadline, lost);
  if (!parts || client != reader_) co_return false;
  add_claims(lost, buckets, *parts, only);
  std::set<std::string> counted;
  std::erase_if(*parts, [&](const bucket_of_part& each) {
    return each.part.book == own || (!only.empty() && each.part.name != only);
  });
  for (const bucket_of_part& each : *parts) counted.insert(each.part.name);
  const row_reader take = [&into](const shared_bucket& bucket, const bucket_part&, const used_share& share) {
    add_row(into, bucket.start, share.by, share.amounts);
  };
  const bool is_read = co_await read_rows(*client, *std::move(parts), take, deadline, lost);
  if (!is_read || client != reader_) co_return false;
  const std::optional<bool> fills = co_await is_filling(*client, begun);
  if (!fills || client != reader_) co_return false;
  into.scope.gateway = only;
  into.scope.members = members_;
  for (const std::string& name : counted) {
    const auto is_it = [&](const fleet_member& each) { return each.name == name; };
    const bool is_known = std::any_of(members_.begin(), members_.end(), is_it);
    if (!is_known && into.scope.members.size() < fleet_scope::most_members)
      into.scope.members.push_back({name, false, true});
  }
  for (fleet_member& each : into.scope.members)
    each.is_counted = (each.is_counted || !each.is_running) && (only.empty() || each.name == only) &&
                      (each.name == name_ || !lost.names.contains(each.name));
  const auto is_missing = [](const fleet_member& each) { return !each.is_counted; };
  if (*fills)
    into.scope.note = "the store was emptied, or a gateway has just started: not all usage has been written again yet";
  else if (!lost.names.empty() || lost.has_lists)
    into.scope.note = note_of_loss(lost.names);
  else if (only.empty() && std::any_of(members_.begin(), members_.end(), is_missing))
    into.scope.note = "a gateway of an older version does not share its usage: its part is missing";
  add_name_note(into.scope, only);
  into.scope.is_unknown = !only.empty() && counted.empty() && !knows(only);
  into.complete_since = std::max(begun_, sys_seconds{});
  co_return true;
}

asio::awaitable<usage_report> fleet_keeping::usage(usage_query wanted) {
  boost::system::error_code ec;
  asio::steady_timer pause(loop_);
  while (is_reading_ && !rounds_.is_stopping()) {
    pause.expires_after(between_looks);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
  usage_report own = ways_.usage().report(wanted);
  own.scope = own_scope();
  const bool is_other = !wanted.gateway.empty() && wanted.gateway != name_;
  own.scope.is_unknown = is_other && !client_;
  own.scope.is_unread = is_other && client_;
  if (!is_shared() || is_reading_) co_return own;
  usage_report all = own;
  all.scope.is_unread = false;
  if (is_other) all.buckets.clear();
  is_reading_ = true;
  bool is_read = false;
  try {
    is_read = co_await add_others(all);
  } catch (...) {
    is_reading_ = false;
    throw;
  }
  is_reading_ = false;
  if (is_read) co_return all;
  own.scope.note = "this gateway alone: the usage of the others could not be read, or is too much for one answer; "
                   "ask for less time";
  co_return own;
}

}  // namespace photofinish::gateway
