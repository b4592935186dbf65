#include "gateway/housekeeping/shared/fleet_keeping.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds question_pause{100};   // the interval at which the store is checked for another gateway's answer
constexpr milliseconds look_pause{10};        // the interval at which a waiting call checks if an answer has arrived
// The smallest time limit for a call to the store. A full second is acceptable, because no request waits for these
// calls.
constexpr milliseconds least_timeout{1'000};

}  // namespace

fleet_keeping::fleet_keeping(asio::io_context& loop, std::string run, milliseconds tick, metrics::store_facts& facts)
    : loop_(loop), tick_(tick), shown_facts_(facts), members_(run), asking_(run), questions_(std::move(run)),
      usage_(loop, members_, ways_, tick),
      rounds_(loop, {.is_wanted = [this] { return client_ != nullptr && ways_.usage; },
                     .round = [this] { return run_round(); },
                     .ended = {},
                     .failure = "usage was not shared"}) {}

void fleet_keeping::use(store_network* net, const store_settings& settings) {
  const std::string meanwhile = "usage reports and receipts cover this gateway alone";
  store_settings patient = settings;
  patient.timeout = std::max(patient.timeout, least_timeout);
  const auto open = [&] {
    return net ? std::make_shared<store_client>(*net, patient, facts_, meanwhile) : std::shared_ptr<store_client>();
  };
  client_ = open();
  if (net != nullptr) commands_ = fleet_commands(settings.prefix);
  members_.use(client_);
  asking_.use(settings.prefix);
  questions_.use();
  usage_.use(client_, open(), commands_);
  if (client_) rounds_.wake();
}

void fleet_keeping::rename(std::string name) {
  if (members_.rename(std::move(name))) usage_.note_all();
}

asio::awaitable<proxy::instant> fleet_keeping::run_round() {
  const std::shared_ptr<store_client> client = client_;
  const proxy::instant begun = std::chrono::steady_clock::now();
  bool is_whole = co_await meet_others();
  if (is_whole) is_whole = co_await usage_.share(store_ahead_);
  if (is_whole) co_await answer_others();
  move_errors(facts_, shown_facts_);
  if (client == client_) members_.end_round(is_whole, ways_.now());
  questions_.end_round(is_whole, begun);
  const bool is_asking = questions_.has_open() || asking_.has_open();
  co_return begun + (is_asking ? std::min(tick_ / 2, question_pause) : tick_ / 2);
}

// Makes the commands of one exchange with the store. The reply to the first command shows whether the store already had
// an entry of this gateway. The last commands are for the questions between gateways and for the answers to them.
std::vector<store_command> fleet_keeping::meeting() {
  std::vector<store_command> all =
      commands_.enter({members_.run(), members_.name(), usage_.book(), store_now(), true, questions_.heard(),
                       usage_.filled(), usage_.listed()});
  for (store_command& each : commands_.begin_sharing(ways_.now())) all.push_back(std::move(each));
  all.push_back({"TIME"});
  all.push_back(commands_.read_begin());
  all.push_back(commands_.read_entries());
  all.push_back(commands_.read_living());
  all.push_back(commands_.read_questions());
  for (store_command& each : asking_.reads()) all.push_back(std::move(each));
  for (store_command& each : questions_.reads(commands_)) all.push_back(std::move(each));
  return all;
}

asio::awaitable<bool> fleet_keeping::meet_others() {
  const std::shared_ptr<store_client> client = client_;
  std::vector<store_command> commands = meeting();
  const auto said = co_await client->call(commands);
  if (!said || client != client_) co_return false;
  const auto is_error = [](const store_reply& each) { return each.kind == reply_kind::error; };
  if (std::any_of(said->begin(), said->end(), is_error)) co_return false;
  take_meeting(*said);
  co_return true;
}

void fleet_keeping::take_meeting(const store_link::replies& said) {
  constexpr std::size_t time = 4, begin = 5, entries = 6, living = 7, questions = 8;
  const bool was_emptied = usage_.note_begin(begin_in(said[begin]), said[0].number() == std::int64_t{1});
  const bool has_time = said[time].kind == reply_kind::list && said[time].list.size() == 2;
  const std::int64_t seconds = has_time ? said[time].list[0].number().value_or(0) : 0;
  const std::chrono::sys_time<milliseconds> now{milliseconds(std::clamp<std::int64_t>(seconds, 0, 1ll << 40) * 1000)};
  if (now.time_since_epoch().count() > 0) store_ahead_ = std::chrono::floor<std::chrono::seconds>(now) - ways_.now();
  const std::size_t looks = questions_.read_count();
  const auto answers = std::span(said).subspan(questions + 1);
  asking_.take(answers.first(answers.size() - looks));
  asking_.know(members_.take(entries_in(said[entries]), living_in(said[living], now), was_emptied, store_now()));
  members_.watch_names(ways_.now());
  questions_.note_answers(members_.peers(), members_.entries());
  questions_.take(questions_in(said[questions]), answers.last(looks));
}

asio::awaitable<void> fleet_keeping::answer_others() {
  const std::shared_ptr<store_client> client = client_;
  std::vector<store_command> commands = questions_.writes(commands_, store_now(), members_.name(), ways_.receipt);
  for (store_command& each : asking_.writes(store_now(), ways_.answer)) commands.push_back(std::move(each));
  for (const std::string& run : members_.gone()) commands.push_back(commands_.leave(run));
  if (!commands.empty()) {
    const auto said = co_await client->call(commands);
    if (!said || client != client_) co_return;
  }
  questions_.note_written();
}

std::vector<std::pair<std::string, std::string>> fleet_keeping::other_figures() const {
  std::vector<std::pair<std::string, std::string>> all;
  if (!members_.is_shared()) return all;
  for (const fleet_asking::peer& each : asking_.peers())
    if (const auto found = asking_.figures().find(each.run); found != asking_.figures().end())
      all.emplace_back(each.name, found->second);
  return all;
}

fleet_scope fleet_keeping::scope_of_figures() const {
  if (!members_.is_shared()) return members_.own_scope();
  fleet_answers known;
  known.pages = other_figures();
  members_.cover(known, {});
  if (!known.scope.note.empty())
    known.scope.note = "the figures of a gateway are missing: that gateway sends no heartbeat, has just started, or "
                       "runs an older version";
  return std::move(known.scope);
}

// Returns the reason why the other gateways cannot be asked for a receipt at the moment. Returns an empty string if
// they can be asked.
std::string fleet_keeping::why_no_question(const fleet_question& asked) const {
  if (!members_.is_shared()) return members_.why_alone();
  if (rounds_.is_stopping()) return "this gateway is stopping";
  return questions_.has_room_for(asked) ? "" : "too many queries are already waiting for the other gateways";
}

asio::awaitable<fleet_receipt> fleet_keeping::receipt(std::string id, std::string caller, bool sees_all) {
  fleet_question asked{.id = {}, .receipt = std::move(id), .caller = std::move(caller), .sees_all = sees_all};
  fleet_receipt found;
  const bool is_only = members_.is_shared() && members_.peers().empty();
  if (!client_ || is_only || !fleet_questions::is_short(asked)) co_return found;
  found.trouble = why_no_question(asked);
  if (!found.trouble.empty()) co_return found;
  const proxy::instant until = std::chrono::steady_clock::now() + patience;
  const auto mine = questions_.open(std::move(asked), store_now(), until, members_.peers());
  try {
    rounds_.wake();
    while (!mine->is_over && std::chrono::steady_clock::now() < until + tick_ && !rounds_.is_stopping())
      co_await pause_for(loop_, look_pause);
    found = questions_.close(mine);
  } catch (...) {
    questions_.drop(mine);  // drops the failed question, so that it no longer counts as unanswered
    throw;
  }
  co_return found;
}

asio::awaitable<fleet_answers> fleet_keeping::ask(fleet_query what) {
  const std::string only = what.gateway;
  fleet_answers alone;
  alone.scope = members_.own_scope();
  alone.scope.is_unknown = !only.empty() && !members_.knows(only);
  alone.scope.is_unread = !only.empty() && only != members_.name() && !alone.scope.is_unknown;
  if (only == members_.name()) {
    alone.scope.note.clear();
    alone.scope.alone_since.reset();
  }
  const bool can_ask = only != members_.name() && members_.is_shared() && !alone.scope.is_unknown;
  if (!can_ask || rounds_.is_stopping()) co_return alone;
  alone.scope.note = std::string(only.empty() ? "this gateway alone: " : "") +
                     "too many queries are already waiting for the other gateways";
  if (!asking_.has_room_for(what)) co_return alone;
  const auto mine = asking_.open(std::move(what), store_now());
  const proxy::instant last = std::chrono::steady_clock::now() + patience;
  try {
    if (!fleet_asking::is_answered(mine)) rounds_.wake();
    while (!fleet_asking::is_answered(mine) && std::chrono::steady_clock::now() < last && !rounds_.is_stopping())
      co_await pause_for(loop_, look_pause);
  } catch (...) {
    asking_.close(mine);  // drops the failed query, so that it no longer counts as unanswered
    throw;
  }
  fleet_answers all = asking_.close(mine);
  members_.cover(all, only);
  co_return all;
}

// Writes the last usage records before it removes this gateway's entry from the store.
asio::awaitable<void> fleet_keeping::stop() {
  usage_.stop();
  co_await rounds_.stop();
  const std::shared_ptr<store_client> client = client_;
  if (members_.is_shared()) {
    co_await usage_.finish();
    std::vector<store_command> commands{commands_.leave(members_.run())};
    co_await client->call(std::move(commands));
  }
  usage_.cancel();
}

}  // namespace photofinish::gateway
