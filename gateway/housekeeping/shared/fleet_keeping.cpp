#include "gateway/housekeeping/shared/fleet_keeping.hpp"

#include "gateway/usage/usage_codec.hpp"
#include "proxy/failures/foreign_text.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

using std::chrono::milliseconds;
using std::chrono::sys_seconds;

constexpr std::size_t most_batches = 50;      // of rows, in one round
constexpr milliseconds question_pause{100};   // between two looks for an answer
constexpr milliseconds least_timeout{1'000};  // no request waits for these calls
constexpr milliseconds check_every{60'000};   // each own bucket in the store
constexpr std::size_t most_names = 1'000;     // of gateways that were ever seen

// The last bucket of a book, and the one after it: a run that was killed may have written to both.
void add_last(std::vector<shared_bucket>& into, char width, const usage_tier& tier) {
  if (tier.buckets().empty()) return;
  const sys_seconds last = tier.buckets().rbegin()->first;
  for (const sys_seconds at : {last - tier.width(), last, last + tier.width()}) into.push_back({width, at});
}

// Each bucket that a book may have, after its file was lost.
void add_all(std::vector<shared_bucket>& into, char width, const usage_tier& tier, sys_seconds now) {
  const usage_shape shape;
  const std::chrono::seconds kept = width == 'h' ? shape.hours_kept : shape.days_kept;
  for (sys_seconds at = tier.bucket_of(now - kept); at <= now; at += tier.width()) into.push_back({width, at});
}

}  // namespace

fleet_keeping::fleet_keeping(asio::io_context& loop, std::string run, milliseconds tick, metrics::store_facts& facts)
    : loop_(loop), run_(std::move(run)), tick_(tick), shown_facts_(facts), asking_(run_),
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
  last_met_.reset();
  members_.clear();
  peers_.clear();
  names_.clear();
  heard_.clear();
  entries_.clear();
  lost_entries_.clear();
  filled_ = {};
  asking_.use(settings.prefix);
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

asio::awaitable<proxy::instant> fleet_keeping::run_round() {
  const std::shared_ptr<store_client> client = client_;
  const proxy::instant begun = std::chrono::steady_clock::now();
  bool is_whole = co_await meet_others();
  if (is_whole && !ways_.usage().may_share()) is_whole = co_await raise_own();
  const sys_seconds filling = begun_;
  if (is_whole) is_whole = co_await write_usage();
  if (is_whole && client == client_ && !ways_.usage().sharing().has_pending()) filled_ = filling;
  if (is_whole) co_await check_usage();
  if (is_whole) co_await answer_questions();
  count_errors();
  if (client == client_) has_met_ = is_whole;
  if (has_met_) last_met_ = ways_.now();
  for (open_question& each : open_) each.is_over |= begun >= each.until || !is_whole;
  const bool is_asking = !open_.empty() || asking_.has_open();
  co_return begun + (is_asking ? std::min(tick_ / 2, question_pause) : tick_ / 2);
}

void fleet_keeping::count_errors() {
  for (std::size_t each = 0; each < facts_.errors.size(); ++each)
    shown_facts_.errors[each] += std::exchange(facts_.errors[each], 0);
}

// The first reply says whether the store knew this gateway; questions and looks for their answers come last.
std::vector<store_command> fleet_keeping::meeting() {
  std::vector<store_command> all =
      commands_.enter({run_, name_, ways_.usage().sharing().book(), store_now(), true, heard_, filled_,
                       ranges_of(ways_.usage().sharing().listed())});
  for (store_command& each : commands_.begin_sharing(ways_.now())) all.push_back(std::move(each));
  all.push_back({"TIME"});
  all.push_back(commands_.read_begin());
  all.push_back(commands_.read_entries());
  all.push_back(commands_.read_living());
  all.push_back(commands_.read_questions());
  for (store_command& each : asking_.reads()) all.push_back(std::move(each));
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
  take_meeting(*said, asked.size());
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
    found->is_over |= found->is_sent && found->missing.empty();
    found->is_sent = true;
  }
  co_return true;
}

// `looks`: replies at the end, which are those to questions of this gateway.
void fleet_keeping::take_meeting(const store_link::replies& said, std::size_t looks) {
  constexpr std::size_t time = 4, begin = 5, entries = 6, living = 7, questions = 8;
  const sys_seconds begun = begin_in(said[begin]);
  const bool was_emptied = said[0].number() == std::int64_t{1} || begun != begun_;
  if (was_emptied) ways_.usage().sharing().note_all();
  begun_ = begun;
  const bool has_time = said[time].kind == reply_kind::list && said[time].list.size() == 2;
  const std::int64_t seconds = has_time ? said[time].list[0].number().value_or(0) : 0;
  const std::chrono::sys_time<milliseconds> now{milliseconds(std::clamp<std::int64_t>(seconds, 0, 1ll << 40) * 1000)};
  if (now.time_since_epoch().count() > 0) store_ahead_ = std::chrono::floor<std::chrono::seconds>(now) - ways_.now();
  asking_.take(std::span(said).subspan(questions + 1, said.size() - looks - questions - 1));
  keep_entries(entries_in(said[entries]), was_emptied);
  take_entries(living_in(said[living], now));
  others_ = questions_in(said[questions]);
}

// A store that was emptied has lost the entries of gateways that still run: they enter again within a round.
void fleet_keeping::keep_entries(std::vector<fleet_entry> entries, bool was_emptied) {
  if (was_emptied) lost_entries_ = std::move(entries_);
  std::erase_if(lost_entries_, [&](const fleet_entry& lost) {
    const auto is_it = [&](const fleet_entry& each) { return each.run == lost.run; };
    return store_now() - lost.at > fleet_commands::removed_after || std::any_of(entries.begin(), entries.end(), is_it);
  });
  entries.insert(entries.end(), lost_entries_.begin(), lost_entries_.end());
  entries_ = std::move(entries);
}

// A gateway that hangs or was killed is listed for some minutes, unless another run has its name.
void fleet_keeping::list_silent(const fleet_entry& entry) {
  const auto is_it = [&](const fleet_member& each) { return each.name == entry.name; };
  if (std::none_of(members_.begin(), members_.end(), is_it)) members_.push_back({entry.name, false, false});
}

// Answers by name cover only one of two gateways with the same name, or both.
void fleet_keeping::watch_names() {
  std::vector<fleet_entry> running = entries_;
  std::erase_if(running, [this](const fleet_entry& each) { return each.run != run_ && !peers_.contains(each.run); });
  for (const auto& [name, runs] : watched_names_.note(running, ways_.now()))
    spdlog::warn("several gateways on the store have the name {} (runs {} and {}): give each its own `instance`",
                 proxy::shown_text(name), proxy::shown_text(runs[0]), proxy::shown_text(runs[1]));
}

void fleet_keeping::add_name_note(fleet_scope& scope, const std::string& only) const {
  const std::string note = watched_names_.note_for(only);
  if (!note.empty()) scope.note += (scope.note.empty() ? "" : "; ") + note;
}

// A gateway that has stopped is not waited for.
void fleet_keeping::note_answers() {
  for (open_question& each : open_) {
    std::erase_if(each.missing, [this](const auto& who) { return !peers_.contains(who.first); });
    for (const fleet_entry& entry : entries_)
      if (entry.heard && std::count(entry.heard->begin(), entry.heard->end(), each.question.id) > 0)
        each.missing.erase(entry.run);
  }
}

// A gateway of an older version lives, and has no entry: it is named by its run, and its part is missing.
void fleet_keeping::take_entries(const std::vector<std::string>& living) {
  members_.clear();
  peers_.clear();
  gone_.clear();
  std::set<std::string> known;
  std::vector<fleet_asking::peer> peers;
  for (const fleet_entry& each : entries_) {
    const bool is_fresh = store_now() - each.at < fleet_commands::silent_after;
    const bool is_running = each.run == run_ || is_fresh || std::count(living.begin(), living.end(), each.run) > 0;
    known.insert(each.run);
    if (names_.size() < most_names) names_.insert(each.name);
    if (!is_running && store_now() - each.at > fleet_commands::removed_after) gone_.push_back(each.run);
    if (is_running && each.run != run_) peers_[each.run] = each.heard.has_value();
    if (is_running) members_.push_back({each.name, true, true});
    if (is_running && each.answers_queries) peers.push_back({each.run, each.name});
  }
  asking_.know(std::move(peers));
  for (const std::string& run : living) {
    if (known.contains(run)) continue;
    if (names_.size() < most_names) names_.insert(run);
    if (members_.size() < fleet_scope::most_members) members_.push_back({run, true, false});
  }
  for (const fleet_entry& each : entries_)
    if (each.run != run_ && !peers_.contains(each.run)) list_silent(each);
  note_answers();
  watch_names();
  std::sort(members_.begin(), members_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

// Raises the book to the rows that an earlier run wrote here and could not keep on the disk.
asio::awaitable<bool> fleet_keeping::raise_own() {
  const std::shared_ptr<store_client> client = client_;
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
  const proxy::instant deadline = std::chrono::steady_clock::now() + usage_patience;
  lost_usage lost;  // what the store has lost is written again
  auto parts = co_await read_parts(*client, std::move(buckets), deadline, lost);
  if (!parts || client != client_) co_return false;
  std::erase_if(*parts, [&](const bucket_of_part& each) { return each.part.book != own; });
  std::vector<std::pair<shared_bucket, used_share>> written;
  const row_reader take = [&written](const shared_bucket& bucket, const bucket_part&, const used_share& share) {
    written.emplace_back(bucket, share);
  };
  const bool is_read = co_await read_rows(*client, *std::move(parts), take, deadline, lost);
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
      if (said && client == client_) co_await end_wrong_types(commands, *said);
      co_return false;
    }
    sharing.written();
  }
  co_return true;
}

// An eviction, or a person, may remove keys of days that are over. Some own buckets are checked in each round, all
// within a minute; those that the store has lost are written again.
asio::awaitable<void> fleet_keeping::check_usage() {
  const std::shared_ptr<store_client> client = client_;
  usage_sharing& sharing = ways_.usage().sharing();
  const auto round = std::clamp<milliseconds>(tick_ / 2, milliseconds(1), check_every);
  const auto rounds = static_cast<std::size_t>(check_every / round);
  const auto checks = sharing.next_checks(sharing.listed().size() / rounds + 1);
  if (checks.empty()) co_return;
  std::vector<store_command> commands;
  for (const auto& [bucket, parts] : checks)
    for (store_command& each : commands_.check_bucket(bucket, {sharing.book(), name_, parts}, store_now()))
      commands.push_back(std::move(each));
  const store_client::commands make = [&commands](const script_names&) { return commands; };
  const auto said = co_await client->call(make);
  if (!said || client != client_) co_return;
  std::size_t place = 0;
  for (const auto& [bucket, parts] : checks) {
    const std::size_t count = 2 + 2 * parts;
    if (!is_intact(std::span(*said).subspan(place, count), {sharing.book(), name_, parts}))
      ways_.usage().sharing().note_bucket(ways_.usage().book(), bucket);
    place += count;
  }
  co_await end_wrong_types(commands, *said);
}

// Values of another type under names of this gateway's book would stop it from writing.
asio::awaitable<void> fleet_keeping::end_wrong_types(const std::vector<store_command>& asked,
                                                     const store_link::replies& said) {
  std::set<std::string> keys;
  for (std::size_t each = 0; each < std::min(asked.size(), said.size()); ++each)
    if (is_wrong_type(said[each])) keys.insert(asked[each][1]);
  if (keys.empty()) co_return;
  std::vector<store_command> commands;
  for (const std::string& key : keys) commands.push_back(fleet_commands::end_value(key));
  const store_client::commands make = [&commands](const script_names&) { return commands; };
  const std::shared_ptr<store_client> client = client_;
  co_await client->call(make);
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
