#include "gateway/housekeeping/shared/fleet_usage.hpp"

#include "gateway/threads/held_value.hpp"
#include "gateway/usage/usage_codec.hpp"

#include <algorithm>
#include <span>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

using std::chrono::milliseconds;
using std::chrono::sys_seconds;

// The maximum number of batches that one exchange with the store writes.
constexpr std::size_t most_batches = 50;
// The number of hours or days that one call to the store reads.
constexpr std::size_t most_buckets_in_a_call = 50;
// The interval at which a waiting report checks whether the previous report is complete.
constexpr milliseconds between_looks{10};
// Within this interval, each hour and each day of this gateway's usage in the store is checked once.
constexpr milliseconds check_every{60'000};

// Adds the last hour (or day) with usage, and also the hour (or day) before and after it. An earlier process of this
// gateway may have written usage to them before it was killed.
void add_last(std::vector<shared_bucket>& into, char width, const usage_tier& tier) {
  if (tier.buckets().empty()) return;
  const sys_seconds last = tier.buckets().rbegin()->first;
  for (const sys_seconds at : {last - tier.width(), last, last + tier.width()}) into.push_back({width, at});
}

// Adds every hour or day for which this gateway may have written usage to the store. This is necessary if the file with
// its usage was lost.
void add_all(std::vector<shared_bucket>& into, char width, const usage_tier& tier, sys_seconds now) {
  const usage_shape shape;
  const std::chrono::seconds kept = width == 'h' ? shape.hours_kept : shape.days_kept;
  for (sys_seconds at = tier.bucket_of(now - kept); at <= now; at += tier.width()) into.push_back({width, at});
}

// True if no amount is too large. Data from the store is untrusted, and sums of these amounts must not overflow.
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
  std::string note = "the store has lost a part of the usage, or has values of another type under its keys";
  std::size_t count = 0;
  for (const std::string& each : names)
    if (++count <= most_shown) note += (count == 1 ? ": of " : ", ") + each;
  return note + ". Each running gateway writes its usage again within a minute";
}

}  // namespace

void fleet_usage::use(std::shared_ptr<store_client> writer, std::shared_ptr<store_client> reader,
                      fleet_commands commands) {
  cancel();
  writer_ = std::move(writer);
  reader_ = std::move(reader);
  commands_ = std::move(commands);
  filled_ = {};
  if (!ways_.usage) return;
  if (writer_) ways_.usage().sharing().start();
  else ways_.usage().sharing().end();
}

void fleet_usage::cancel() {
  for (auto* each : {&writer_, &reader_})
    if (*each) (*each)->cancel();
}

bool fleet_usage::note_begin(sys_seconds begun, bool is_new) {
  const bool was_emptied = is_new || begun != begun_;
  if (was_emptied) note_all();
  begun_ = begun;
  return was_emptied;
}

asio::awaitable<bool> fleet_usage::share(std::chrono::seconds store_ahead) {
  const std::shared_ptr<store_client> client = writer_;
  bool is_whole = ways_.usage().may_share();
  if (!is_whole) is_whole = co_await raise_book();
  const sys_seconds filling = begun_;
  if (is_whole) is_whole = co_await write();
  if (is_whole && client == writer_ && !ways_.usage().sharing().has_pending()) filled_ = filling;
  if (is_whole) co_await check(ways_.now() + store_ahead);
  co_return is_whole;
}

asio::awaitable<void> fleet_usage::finish() {
  if (ways_.usage().may_share()) co_await write();
}

// Raises the sums in this gateway's usage records to the sums in the store. An earlier process may have written to the
// store but not to the disk.
asio::awaitable<bool> fleet_usage::raise_book() {
  const std::shared_ptr<store_client> client = writer_;
  std::vector<shared_bucket> buckets;
  const usage_keeping& kept = ways_.usage();
  if (kept.has_kept()) {
    add_last(buckets, 'h', kept.book().hours);
    add_last(buckets, 'd', kept.book().days);
  } else {
    add_all(buckets, 'h', kept.book().hours, ways_.now());
    add_all(buckets, 'd', kept.book().days, ways_.now());
  }
  const std::string own = ways_.usage().sharing().book();
  const proxy::instant deadline = std::chrono::steady_clock::now() + patience;
  lost_usage lost;  // usage that is missing in the store and must be written again
  auto parts = co_await read_parts(*client, std::move(buckets), deadline, lost);
  if (!parts || client != writer_) co_return false;
  std::erase_if(*parts, [&](const bucket_of_part& each) { return each.part.book != own; });
  std::vector<std::pair<shared_bucket, used_share>> written;
  const row_reader take = [&written](const shared_bucket& bucket, const bucket_part&, const used_share& share) {
    written.emplace_back(bucket, share);
  };
  const bool is_read = co_await read_rows(*client, *std::move(parts), take, deadline, lost);
  if (!is_read || client != writer_) co_return false;
  ways_.usage().raise(written);
  ways_.usage().sharing().note_all();
  co_return true;
}

asio::awaitable<bool> fleet_usage::write() {
  const std::shared_ptr<store_client> client = writer_;
  for (std::size_t each = 0; each < most_batches && ways_.usage().sharing().has_pending(); ++each) {
    usage_sharing& sharing = ways_.usage().sharing();
    const std::vector<store_command> commands = sharing.next(ways_.usage().book(), commands_, members_.name());
    if (commands.empty()) {
      sharing.written();
      continue;
    }
    const auto said = co_await client->call(commands);
    const auto is_error = [](const store_reply& reply) { return reply.kind == reply_kind::error; };
    const bool is_written = said && std::none_of(said->begin(), said->end(), is_error);
    if (!is_written || client != writer_) {
      sharing.lost();
      if (said && client == writer_) co_await end_wrong_types(commands, *said);
      co_return false;
    }
    sharing.written();
  }
  co_return true;
}

// Finds usage that the store has lost, and writes it again. The store may evict keys of past days, or a person may
// delete keys. Each call checks some of the hours and days with usage of this gateway, so that all of them are checked
// within a minute.
asio::awaitable<void> fleet_usage::check(sys_seconds store_time) {
  const std::shared_ptr<store_client> client = writer_;
  usage_sharing& sharing = ways_.usage().sharing();
  const auto round = std::clamp<milliseconds>(tick_ / 2, milliseconds(1), check_every);
  const auto rounds = static_cast<std::size_t>(check_every / round);
  const auto checks = sharing.next_checks(sharing.listed().size() / rounds + 1);
  if (checks.empty()) co_return;
  std::vector<store_command> commands;
  for (const auto& [bucket, parts] : checks)
    for (store_command& each : commands_.check_bucket(bucket, {sharing.book(), members_.name(), parts}, store_time))
      commands.push_back(std::move(each));
  const auto said = co_await client->call(commands);
  if (!said || client != writer_) co_return;
  std::size_t place = 0;
  for (const auto& [bucket, parts] : checks) {
    const std::size_t count = 2 + 2 * parts;
    if (!is_intact(std::span(*said).subspan(place, count), {sharing.book(), members_.name(), parts}))
      ways_.usage().sharing().note_bucket(ways_.usage().book(), bucket);
    place += count;
  }
  co_await end_wrong_types(commands, *said);
}

// Removes values of a wrong type under the keys of this gateway's usage, because such values would make all writes to
// these keys fail.
asio::awaitable<void> fleet_usage::end_wrong_types(const std::vector<store_command>& asked,
                                                   const store_link::replies& said) {
  std::set<std::string> keys;
  for (std::size_t each = 0; each < std::min(asked.size(), said.size()); ++each)
    if (is_wrong_type(said[each])) keys.insert(asked[each][1]);
  if (keys.empty()) co_return;
  std::vector<store_command> commands;
  for (const std::string& key : keys) commands.push_back(fleet_commands::end_value(key));
  const std::shared_ptr<store_client> client = writer_;
  co_await client->call(commands);
}

// Reads which gateways have usage in the given hours and days. Returns nothing if the store could not be read within
// the time limit.
asio::awaitable<std::optional<std::vector<fleet_usage::bucket_of_part>>> fleet_usage::read_parts(
    store_client& client, std::vector<shared_bucket> buckets, proxy::instant deadline, lost_usage& lost) {
  std::vector<bucket_of_part> all;
  for (std::size_t from = 0; from < buckets.size(); from += most_buckets_in_a_call) {
    if (std::chrono::steady_clock::now() > deadline) co_return std::nullopt;
    const std::size_t to = std::min(buckets.size(), from + most_buckets_in_a_call);
    std::vector<store_command> commands;
    for (std::size_t each = from; each < to; ++each) commands.push_back(commands_.read_bucket(buckets[each]));
    const auto said = co_await client.call(commands);
    if (!said) co_return std::nullopt;
    for (const store_reply& each : *said) lost.has_lists |= each.kind == reply_kind::error;
    for (std::size_t each = from; each < to; ++each)
      for (bucket_part& part : parts_in((*said)[each - from])) all.push_back({buckets[each], std::move(part)});
  }
  co_return all;
}

// Returns false if the store could not be read within the time limit, or if the report would have too many rows.
asio::awaitable<bool> fleet_usage::read_rows(store_client& client, std::vector<bucket_of_part> which,
                                             row_reader take, proxy::instant deadline, lost_usage& lost) {
  std::size_t count = 0;
  for (const bucket_of_part& each : which) {
    if (std::chrono::steady_clock::now() > deadline) co_return false;
    const std::vector<store_command> commands = commands_.read_rows(each.bucket, each.part);
    const auto said = co_await client.call(commands);
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

// Adds to `lost` the gateways whose entries list hours or days of usage that are missing in the store.
void fleet_usage::add_claims(lost_usage& lost, const std::vector<shared_bucket>& buckets,
                             const std::vector<bucket_of_part>& parts, const std::string& only) {
  const std::string own = ways_.usage().sharing().book();
  std::set<std::pair<std::string, shared_bucket>> stored;
  for (const bucket_of_part& each : parts) stored.insert({each.part.book, each.bucket});
  for (const fleet_entry& each : members_.entries()) {
    if (each.book == own || (!only.empty() && each.name != only)) continue;
    const auto is_lost = [&](const shared_bucket& bucket) {
      return has_bucket(each.listed, bucket) && !stored.contains({each.book, bucket});
    };
    if (std::any_of(buckets.begin(), buckets.end(), is_lost)) lost.names.insert(each.name);
  }
}

// Returns true if the store was emptied, and a running gateway has not written all its usage again since then. Returns
// nothing if the store could not be read.
asio::awaitable<std::optional<bool>> fleet_usage::is_filling(store_client& client, sys_seconds begun) {
  std::vector<store_command> commands{commands_.read_begin()};
  const auto said = co_await client.call(std::move(commands));
  if (!said) co_return std::nullopt;
  const auto is_unwritten = [&](const fleet_entry& each) {
    return members_.peers().contains(each.run) && each.filled && *each.filled != begun;
  };
  const std::vector<fleet_entry>& all = members_.entries();
  co_return begin_in(said->front()) != begun || std::any_of(all.begin(), all.end(), is_unwritten);
}

asio::awaitable<bool> fleet_usage::add_others(usage_report& into) {
  const std::shared_ptr<store_client> client = reader_;
  const std::string own = ways_.usage().sharing().book();
  const std::string only = into.wanted.gateway;
  const proxy::instant deadline = std::chrono::steady_clock::now() + patience;
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
  into.scope.members = members_.all();
  for (const std::string& name : counted)
    if (!members_.has(name) && into.scope.members.size() < fleet_scope::most_members)
      into.scope.members.push_back({name, false, true});
  for (fleet_member& each : into.scope.members)
    each.is_counted = (each.is_counted || !each.is_running) && (only.empty() || each.name == only) &&
                      (each.name == members_.name() || !lost.names.contains(each.name));
  const auto is_missing = [](const fleet_member& each) { return !each.is_counted; };
  if (*fills)
    into.scope.note = "the store was emptied, or a gateway has just started: the gateways have not yet written all "
                      "usage again";
  else if (!lost.names.empty() || lost.has_lists)
    into.scope.note = note_of_loss(lost.names);
  else if (only.empty() && std::any_of(members_.all().begin(), members_.all().end(), is_missing))
    into.scope.note = "the usage of a gateway is missing, because that gateway runs an older version";
  members_.add_name_note(into.scope, only);
  into.scope.is_unknown = !only.empty() && counted.empty() && !members_.knows(only);
  into.complete_since = std::max(begun_, sys_seconds{});
  co_return true;
}

asio::awaitable<usage_report> fleet_usage::report(usage_query wanted) {
  while (is_reading_ && !is_stopping_) co_await pause_for(loop_, between_looks);
  usage_report own = ways_.usage().report(wanted);
  own.scope = members_.own_scope();
  const bool is_other = !wanted.gateway.empty() && wanted.gateway != members_.name();
  own.scope.is_unknown = is_other && !members_.has_store();
  own.scope.is_unread = is_other && members_.has_store();
  if (!members_.is_shared() || is_reading_) co_return own;
  usage_report all = own;
  all.scope.is_unread = false;
  if (is_other) all.buckets.clear();
  const held_value busy(is_reading_, true);
  const bool is_read = co_await add_others(all);
  if (is_read) co_return all;
  own.scope.note = "this gateway alone: the usage of the other gateways could not be read, or is too much for one "
                   "answer; ask for a shorter period";
  co_return own;
}

}  // namespace photofinish::gateway
