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

constexpr std::size_t most_batches = 50;      // of rows, in one round
constexpr milliseconds question_pause{100};   // between two looks for an answer
constexpr milliseconds reading_pause{10};     // between two looks
constexpr milliseconds least_timeout{1'000};  // no request waits for these calls

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
  std::vector<store_command> all = commands_.enter({run_, name_, ways_.usage().sharing().book(), store_now()});
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
  if (now.time_since_epoch().count() > 0) store_ahead_ = std::chrono::floor<std::chrono::seconds>(now) - ways_.now();
  take_entries(entries_in(said[entries]), living_in(said[living], now));
  others_ = questions_in(said[questions]);
}

// A gateway of an older version lives, and has no entry: it is named by its run, and its part is missing.
void fleet_keeping::take_entries(const std::vector<fleet_entry>& entries, const std::vector<std::string>& living) {
  members_.clear();
  gone_.clear();
  std::set<std::string> known;
  for (const fleet_entry& each : entries) {
    const bool is_fresh = store_now() - each.at < fleet_commands::silent_after;
    const bool is_running = each.run == run_ || is_fresh || std::count(living.begin(), living.end(), each.run) > 0;
    known.insert(each.run);
    if (!is_running && store_now() - each.at > fleet_commands::removed_after) gone_.push_back(each.run);
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
  const proxy::instant deadline = std::chrono::steady_clock::now() + usage_patience;
  auto parts = co_await read_parts(*client, std::move(buckets), deadline);
  if (!parts || client != client_) co_return false;
  std::erase_if(*parts, [&](const bucket_of_part& each) { return each.part.book != own; });
  std::vector<std::pair<shared_bucket, used_share>> written;
  const row_reader take = [&written](const shared_bucket& bucket, const bucket_part&, const used_share& share) {
    written.emplace_back(bucket, share);
  };
  const bool is_read = co_await read_rows(*client, *std::move(parts), take, deadline);
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
    const bool is_old = store_now() - each.at > fleet_commands::question_life;
    std::string page = is_own || is_old ? std::string() : ways_.receipt(each);
    if (!page.empty()) page = named_page(std::move(page), name_);
    if (!page.empty() && page.size() <= fleet_commands::longest_answer)
      commands.push_back(commands_.answer(each.id, page));
    if (is_old || !page.empty()) commands.push_back(commands_.remove_question(each.id));
  }
  for (const std::string& id : std::exchange(over_, {})) commands.push_back(commands_.remove_question(id));
  for (const std::string& run : gone_) commands.push_back(commands_.leave(run));
  if (commands.empty()) co_return;
  const store_client::commands make = [&commands](const script_names&) { return commands; };
  co_await client->call(make);
}

asio::awaitable<std::string> fleet_keeping::receipt(std::string id, std::string caller, bool sees_all) {
  const auto shares = [](const fleet_member& each) { return each.is_counted; };
  const bool has_others = std::count_if(members_.begin(), members_.end(), shares) > 1;
  if (!is_shared() || !has_others || open_.size() >= most_asked || rounds_.is_stopping()) co_return std::string();
  if (id.size() > fleet_commands::longest_text || caller.size() > fleet_commands::longest_text) co_return std::string();
  const auto is_callers = [&](const open_question& each) { return !sees_all && each.question.caller == caller; };
  if (std::count_if(open_.begin(), open_.end(), is_callers) >= std::ptrdiff_t{most_of_caller}) co_return std::string();
  open_question made;
  made.question = {run_ + "." + std::to_string(++asked_), std::move(id), std::move(caller), sees_all, store_now()};
  made.until = std::chrono::steady_clock::now() + patience;
  const proxy::instant last = made.until + tick_;
  asio::steady_timer pause(loop_);
  boost::system::error_code ec;
  const auto mine = open_.insert(open_.end(), std::move(made));
  try {
    rounds_.wake();
    while (!mine->is_over && std::chrono::steady_clock::now() < last && !rounds_.is_stopping()) {
      pause.expires_after(reading_pause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    }
    if (mine->is_sent && mine->page.empty()) over_.push_back(mine->question.id);
  } catch (...) {
    open_.erase(mine);  // otherwise its place among most_asked would be taken for ever
    throw;
  }
  std::string page = std::move(mine->page);
  open_.erase(mine);
  co_return page;
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
