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

using std::chrono::milliseconds;
using std::chrono::sys_seconds;

constexpr std::size_t most_batches = 50;            // of rows, in one round
constexpr std::size_t most_buckets_in_a_call = 50;  // lists of gateways
constexpr milliseconds question_pause{100};         // between two looks for an answer
constexpr milliseconds reading_pause{10};           // until another report has been read
constexpr milliseconds least_timeout{1'000};        // no request waits for these calls

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

// The last bucket of a book, and the one after it: a run that was killed may have written to both.
void add_last(std::vector<shared_bucket>& into, char width, const usage_tier& tier) {
  if (tier.buckets().empty()) return;
  const sys_seconds last = tier.buckets().rbegin()->first;
  for (const sys_seconds at : {last - tier.width(), last, last + tier.width()}) into.push_back({width, at});
}

}  // namespace

fleet_keeping::fleet_keeping(asio::io_context& loop, std::string run, milliseconds tick, metrics::store_facts& facts)
    : loop_(loop), run_(std::move(run)), tick_(tick), shown_facts_(facts),
      rounds_(loop, {.is_wanted = [this] { return client_ != nullptr && ways_.usage; },
                     .round = [this] { return run_round(); },
                     .ended = {},
                     .failure = "usage was not shared"}) {}

fleet_keeping::~fleet_keeping() = default;

void fleet_keeping::use(store_network* net, const store_settings& settings) {
  for (auto* client : {&client_, &reader_}) {
    if (*client) (*client)->cancel();
    client->reset();
  }
  has_met_ = false;
  members_.clear();
  if (ways_.usage && net == nullptr) ways_.usage().sharing().end();
  if (net == nullptr) return;
  if (ways_.usage) ways_.usage().sharing().start();
  commands_ = fleet_commands(settings.prefix);
  store_settings patient = settings;
  patient.timeout = std::max(patient.timeout, least_timeout);
  const std::string meanwhile = "reports of use and receipts are of this gateway alone";
  client_ = std::make_shared<store_client>(*net, patient, facts_, meanwhile);
  reader_ = std::make_shared<store_client>(*net, patient, facts_, meanwhile);
  rounds_.wake();
}

void fleet_keeping::rename(std::string name) {
  if (name_ == name) return;
  name_ = std::move(name);
  if (ways_.usage) ways_.usage().sharing().note_all();
}

std::string fleet_keeping::why_alone() const {
  if (!client_) return "this gateway alone: no redis is configured";
  const std::string trouble = client_->trouble().substr(0, client_->trouble().find(':'));
  if (trouble.empty()) return "this gateway alone: the store has not been read yet";
  return "this gateway alone: the store cannot be used (" + trouble + ")";
}

fleet_scope fleet_keeping::own_scope() const {
  fleet_scope scope{.gateway = name_, .members = {}};
  if (is_shared()) scope.members = members_;
  else scope.note = why_alone();
  for (fleet_member& each : scope.members) each.is_counted = each.name == name_;
  if (scope.members.empty()) scope.members.push_back({name_, true, true});
  return scope;
}

asio::awaitable<proxy::instant> fleet_keeping::run_round() {
  const std::shared_ptr<store_client> client = client_;
  const proxy::instant begun = std::chrono::steady_clock::now();
  bool is_whole = co_await meet_others();
  if (is_whole && !ways_.usage().may_share()) is_whole = co_await raise_own();
  if (is_whole) is_whole = co_await write_usage();
  if (is_whole) co_await answer_questions();
  count_errors();
  if (client == client_) has_met_ = is_whole;
  for (open_question& each : open_) each.is_over |= begun >= each.until || !is_whole;
  co_return begun + (open_.empty() ? tick_ / 2 : std::min(tick_ / 2, question_pause));
}

void fleet_keeping::count_errors() {
  for (std::size_t each = 0; each < facts_.errors.size(); ++each)
    shown_facts_.errors[each] += std::exchange(facts_.errors[each], 0);
}

// The first reply says whether the store knew this gateway; questions and looks for their answers come last.
std::vector<store_command> fleet_keeping::meeting() {
  std::vector<store_command> all = commands_.enter({run_, name_, ways_.usage().sharing().book(), ways_.now()});
  for (store_command& each : commands_.begin_sharing(ways_.now())) all.push_back(std::move(each));
  all.push_back({"TIME"});
  all.push_back(commands_.read_begin());
  all.push_back(commands_.read_entries());
  all.push_back(commands_.read_living());
  all.push_back(commands_.read_questions());
  for (open_question& each : open_) {
    if (!each.is_sent) all.push_back(commands_.ask(each.question));
    else all.push_back(commands_.read_answer(each.question.id));
  }
  return all;
}

asio::awaitable<bool> fleet_keeping::meet_others() {
  const std::shared_ptr<store_client> client = client_;
  std::vector<store_command> commands = meeting();
  std::vector<std::string> asked;
  for (const open_question& each : open_) asked.push_back(each.question.id);
  const store_client::commands make = [&commands](const script_names&) { return commands; };
  const auto said = co_await client->call(make);
  if (!said || client != client_) co_return false;
  const auto is_error = [](const store_reply& each) { return each.kind == reply_kind::error; };
  if (std::any_of(said->begin(), said->end(), is_error)) co_return false;
  take_meeting(*said);
  std::size_t place = said->size() - asked.size();
  for (const std::string& id : asked) {
    const store_reply& reply = (*said)[place++];
    const auto is_it = [&](const open_question& each) { return each.question.id == id; };
    const auto found = std::find_if(open_.begin(), open_.end(), is_it);
    if (found == open_.end()) continue;
    if (found->is_sent && reply.kind == reply_kind::text && reply.text.size() <= fleet_commands::longest_answer) {
      found->page = reply.text;
      found->is_over = true;
    }
    found->is_sent = true;
  }
  co_return true;
}

void fleet_keeping::take_meeting(const store_link::replies& said) {
  constexpr std::size_t time = 4, begin = 5, entries = 6, living = 7, questions = 8;
  const std::int64_t since = said[begin].number().value_or(0);
  const sys_seconds begun{std::chrono::seconds(std::clamp<std::int64_t>(since, 0, std::int64_t{1} << 40))};
  const bool was_emptied = said[0].number() == std::int64_t{1} || begun != begun_;
  if (was_emptied) ways_.usage().sharing().note_all();
  begun_ = begun;
  const bool has_time = said[time].kind == reply_kind::list && said[time].list.size() == 2;
  const std::int64_t seconds = has_time ? said[time].list[0].number().value_or(0) : 0;
  const std::chrono::sys_time<milliseconds> now{milliseconds(std::clamp<std::int64_t>(seconds, 0, 1ll << 40) * 1000)};
  take_entries(entries_in(said[entries]), living_in(said[living], now));
  others_ = questions_in(said[questions]);
}

// A gateway of an older version lives, and has no entry: it is named by its run, and its part is missing.
void fleet_keeping::take_entries(const std::vector<fleet_entry>& entries, const std::vector<std::string>& living) {
  members_.clear();
  gone_.clear();
  std::set<std::string> known;
  for (const fleet_entry& each : entries) {
    const bool is_fresh = ways_.now() - each.at < fleet_commands::silent_after;
    const bool is_running = each.run == run_ || is_fresh || std::count(living.begin(), living.end(), each.run) > 0;
    known.insert(each.run);
    if (!is_running && ways_.now() - each.at > fleet_commands::removed_after) gone_.push_back(each.run);
    if (is_running) members_.push_back({each.name, true, true});
  }
  for (const std::string& run : living)
    if (!known.contains(run) && members_.size() < fleet_scope::most_members) members_.push_back({run, true, false});
  std::sort(members_.begin(), members_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

// Raises the book to the rows that an earlier run wrote here and could not keep on the disk.
asio::awaitable<bool> fleet_keeping::raise_own() {
  const std::shared_ptr<store_client> client = client_;
  std::vector<shared_bucket> buckets;
  add_last(buckets, 'h', ways_.usage().book().hours);
  add_last(buckets, 'd', ways_.usage().book().days);
  const std::string own = ways_.usage().sharing().book();
  auto parts = co_await read_parts(*client, std::move(buckets));
  if (!parts || client != client_) co_return false;
  std::erase_if(*parts, [&](const bucket_of_part& each) { return each.part.book != own; });
  std::vector<std::pair<shared_bucket, used_share>> written;
  const row_reader take = [&written](const shared_bucket& bucket, const bucket_part&, const used_share& share) {
    written.emplace_back(bucket, share);
  };
  const bool is_read = co_await read_rows(*client, *std::move(parts), take);
  if (!is_read || client != client_) co_return false;
  ways_.usage().raise(written);
  ways_.usage().sharing().note_all();
  co_return true;
}

asio::awaitable<bool> fleet_keeping::write_usage() {
  const std::shared_ptr<store_client> client = client_;
  for (std::size_t each = 0; each < most_batches && ways_.usage().sharing().has_pending(); ++each) {
    usage_sharing& sharing = ways_.usage().sharing();
    const std::vector<store_command> commands = sharing.next(ways_.usage().book(), commands_, name_);
    if (commands.empty()) {
      sharing.written();
      continue;
    }
    const store_client::commands make = [&commands](const script_names&) { return commands; };
    const auto said = co_await client->call(make);
    const auto is_error = [](const store_reply& reply) { return reply.kind == reply_kind::error; };
    const bool is_written = said && std::none_of(said->begin(), said->end(), is_error);
    if (!is_written || client != client_) {
      sharing.lost();
      co_return false;
    }
    sharing.written();
  }
  co_return true;
}

// Old questions are removed: their askers have gone.
asio::awaitable<void> fleet_keeping::answer_questions() {
  const std::shared_ptr<store_client> client = client_;
  std::vector<store_command> commands;
  for (const fleet_question& each : std::exchange(others_, {})) {
    const bool is_own = each.id.starts_with(run_);
    const bool is_old = ways_.now() - each.at > fleet_commands::question_life;
    std::string page = is_own || is_old ? std::string() : ways_.receipt(each);
    if (!page.empty()) page = named_page(std::move(page), name_);
    if (!page.empty() && page.size() <= fleet_commands::longest_answer)
      commands.push_back(commands_.answer(each.id, page));
    if (is_old || !page.empty()) commands.push_back(commands_.remove_question(each.id));
  }
  for (const std::string& run : gone_) commands.push_back(commands_.leave(run));
  if (commands.empty()) co_return;
  const store_client::commands make = [&commands](const script_names&) { return commands; };
  co_await client->call(make);
}

asio::awaitable<std::string> fleet_keeping::receipt(std::string id, std::string caller, bool sees_all) {
  const auto shares = [](const fleet_member& each) { return each.is_counted; };
  const bool has_others = std::count_if(members_.begin(), members_.end(), shares) > 1;
  if (!is_shared() || !has_others || open_.size() >= most_asked || rounds_.is_stopping()) co_return std::string();
  const auto mine = open_.insert(open_.end(), open_question{});
  mine->question = {run_ + "." + std::to_string(++asked_), std::move(id), std::move(caller), sees_all, ways_.now()};
  mine->until = std::chrono::steady_clock::now() + patience;
  rounds_.wake();
  asio::steady_timer pause(loop_);
  boost::system::error_code ec;
  const proxy::instant last = mine->until + tick_;
  while (!mine->is_over && std::chrono::steady_clock::now() < last && !rounds_.is_stopping()) {
    pause.expires_after(reading_pause);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
  std::string page = std::move(mine->page);
  open_.erase(mine);
  co_return page;
}

// None: the store could not be read.
asio::awaitable<std::optional<std::vector<fleet_keeping::bucket_of_part>>> fleet_keeping::read_parts(
    store_client& client, std::vector<shared_bucket> buckets) {
  std::vector<bucket_of_part> all;
  for (std::size_t from = 0; from < buckets.size(); from += most_buckets_in_a_call) {
    const std::size_t to = std::min(buckets.size(), from + most_buckets_in_a_call);
    std::vector<store_command> commands;
    for (std::size_t each = from; each < to; ++each) commands.push_back(commands_.read_bucket(buckets[each]));
    const store_client::commands make = [&commands](const script_names&) { return commands; };
    const auto said = co_await client.call(make);
    if (!said) co_return std::nullopt;
    for (std::size_t each = from; each < to; ++each)
      for (bucket_part& part : parts_in((*said)[each - from])) all.push_back({buckets[each], std::move(part)});
  }
  co_return all;
}

// False: the store could not be read, or has more rows than one report may hold.
asio::awaitable<bool> fleet_keeping::read_rows(store_client& client, std::vector<bucket_of_part> which,
                                               row_reader take) {
  std::size_t count = 0;
  for (const bucket_of_part& each : which) {
    const std::vector<store_command> commands = commands_.read_rows(each.bucket, each.part);
    const store_client::commands make = [&commands](const script_names&) { return commands; };
    const auto said = co_await client.call(make);
    if (!said) co_return false;
    for (const store_reply& rows : *said) {
      if (rows.kind != reply_kind::list) co_return false;
      for (std::size_t at = 0; at + 1 < rows.list.size(); at += 2, ++count)
        if (const auto share = decode_share(rows.list[at].text, rows.list[at + 1].text))
          if (is_plausible_sum(share->amounts)) take(each.bucket, each.part, *share);
      if (count > most_rows) co_return false;
    }
  }
  co_return true;
}

asio::awaitable<bool> fleet_keeping::add_others(usage_report& into) {
  const std::shared_ptr<store_client> client = reader_;
  const std::string own = ways_.usage().sharing().book();
  const std::string only = into.wanted.gateway;
  auto parts = co_await read_parts(*client, buckets_of(into.wanted, ways_.now()));
  if (!parts || client != reader_) co_return false;
  std::set<std::string> counted;
  std::erase_if(*parts, [&](const bucket_of_part& each) {
    return each.part.book == own || (!only.empty() && each.part.name != only);
  });
  for (const bucket_of_part& each : *parts) counted.insert(each.part.name);
  const row_reader take = [&into](const shared_bucket& bucket, const bucket_part&, const used_share& share) {
    add_row(into, bucket.start, share.by, share.amounts);
  };
  const bool is_read = co_await read_rows(*client, *std::move(parts), take);
  if (!is_read || client != reader_) co_return false;
  into.scope.gateway = only;
  into.scope.members = members_;
  for (const std::string& name : counted) {
    const auto is_it = [&](const fleet_member& each) { return each.name == name; };
    const bool is_known = std::any_of(members_.begin(), members_.end(), is_it);
    if (!is_known && into.scope.members.size() < fleet_scope::most_members)
      into.scope.members.push_back({name, false, true});
  }
  for (fleet_member& each : into.scope.members) each.is_counted &= only.empty() || each.name == only;
  const auto is_missing = [](const fleet_member& each) { return !each.is_counted; };
  if (only.empty() && std::any_of(members_.begin(), members_.end(), is_missing))
    into.scope.note = "a gateway of an older version does not share its usage: its part is missing";
  const auto is_wanted = [&](const fleet_member& each) { return each.name == only; };
  const bool is_member = std::any_of(members_.begin(), members_.end(), is_wanted);
  into.scope.is_unknown = !only.empty() && only != name_ && counted.empty() && !is_member;
  into.complete_since = std::max(begun_, sys_seconds{});
  co_return true;
}

asio::awaitable<usage_report> fleet_keeping::usage(usage_query wanted) {
  boost::system::error_code ec;
  asio::steady_timer pause(loop_);
  while (is_reading_ && !rounds_.is_stopping()) {
    pause.expires_after(reading_pause);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
  usage_report own = ways_.usage().report(wanted);
  own.scope = own_scope();
  own.scope.is_unknown = !wanted.gateway.empty() && wanted.gateway != name_;
  if (!is_shared() || is_reading_) co_return own;
  usage_report all = own;
  if (own.scope.is_unknown) all.buckets.clear();
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

// The last rows are written before the entry is removed.
asio::awaitable<void> fleet_keeping::stop() {
  co_await rounds_.stop();
  const std::shared_ptr<store_client> client = client_;
  if (client && has_met_ && !client->is_away()) {
    if (ways_.usage().may_share()) co_await write_usage();
    const store_client::commands leave = [this](const script_names&) {
      return std::vector<store_command>{commands_.leave(run_)};
    };
    co_await client->call(leave);
  }
  for (auto* each : {&client_, &reader_})
    if (*each) (*each)->cancel();
}

}  // namespace photofinish::gateway
