#include "tests/simulation/conversations/agent_traffic.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr double compaction_at = 160'000, summary_tokens = 6'000;
constexpr double small_root = 14'000, large_root = 22'000;
constexpr double least_turns = 30, most_turns = 200;
constexpr std::uint64_t short_prompts = std::uint64_t{1} << 40;  // conversations with this number or a higher one consist of a single short
                                                                 // prompt
// When a session ends, its successor has a conversation number that is higher by this amount.
constexpr std::uint64_t generation_step = 10'000;
constexpr std::uint64_t callers = 5;

enum purpose : std::uint64_t { session_length = 21, message, gap, forks, short_prompt, opening };

// The times between an answer and the next request, as measured for coding agents. The simulation interpolates log-linearly between these
// points.
struct gap_point {
  double share, seconds;
};
constexpr std::array<gap_point, 6> gap_points{{{0, 0.2}, {0.25, 0.7}, {0.5, 1.6}, {0.75, 8.6}, {0.9, 44}, {1, 400}}};

double lognormal(dice& chance, double median, double spread) { return std::round(median * std::exp(spread * chance.normal())); }

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(dice{a, b, 77}.uniform() * 0x1p53) + 1;
}

}  // namespace

dice agent_traffic::chance(const agent_turn& turn, std::uint64_t purpose) const {
  return dice{seed_, turn.conversation, turn.number, purpose};
}

void agent_traffic::begin(instant now) {
  constexpr double warm_up = 60;  // all sessions start within this number of seconds
  for (std::uint64_t place = 1; place <= world_.sessions; ++place) {
    const double later = dice{seed_, place, opening}.uniform() * warm_up;
    clock_.after(now, later, [this, place](instant when) { start_session(place, 0, when); });
  }
  if (world_.short_rate > 0) send_short_prompt(short_prompts, now);
}

void agent_traffic::start_session(std::uint64_t id, std::uint64_t parent, instant now) {
  auto made = std::make_unique<session>();
  made->next.conversation = id;
  made->parent = parent;
  dice lot = chance(made->next, session_length);
  const double turns = least_turns * std::exp(lot.uniform() * std::log(most_turns / least_turns));
  const double sub_agent_turns = 3 + 12 * lot.uniform();
  made->turns_left = static_cast<std::uint64_t>(parent ? sub_agent_turns : turns);
  made->root_tokens = parent || lot.uniform() < 0.5 ? small_root : large_root;
  made->usual_result = lognormal(lot, 450, 0.9);
  made->next.caller = 1 + (parent ? parent : id) % callers;
  open_prompt(*made);
  session& started = *sessions_.insert_or_assign(id, std::move(made)).first->second;
  // A copy, because the callback that sends the turn may end the session.
  const agent_turn turn = started.next;
  send_(turn, now);
}

// Creates the first prompt of a session. All sub-agents share one system prompt and one set of tools. Two main sessions share their system
// prompt and tools if both have the same number of tokens.
void agent_traffic::open_prompt(session& each) {
  const auto kind = static_cast<std::uint64_t>(each.root_tokens) + (each.parent ? 1 : 0);
  each.next.boundaries = {{mixed(kind, 0), each.root_tokens}};
  each.next.assistant_turns = 0;
  dice lot = chance(each.next, message);
  const double first_message = each.next.number > 0 ? summary_tokens : lognormal(lot, 1'200, 0.8);
  each.next.boundaries.push_back({mixed(each.next.conversation, each.next.number + 1), each.root_tokens + first_message});
  each.next.output_tokens = std::clamp(lognormal(lot, 350, 0.9), 1.0, 8'000.0);
}

void agent_traffic::extend_prompt(session& each) {
  const double answer = each.next.output_tokens;
  ++each.next.number;
  dice lot = chance(each.next, message);
  const double tokens = each.next.input_tokens() + answer + lognormal(lot, each.usual_result, 1.0);
  if (tokens > compaction_at) return open_prompt(each);
  each.next.boundaries.push_back({mixed(each.next.conversation, each.next.number + 1), tokens});
  ++each.next.assistant_turns;
  each.next.output_tokens = std::clamp(lognormal(lot, 350, 0.9), 1.0, 8'000.0);
}

void agent_traffic::answered(const agent_turn& turn, instant now) {
  if (turn.conversation >= short_prompts) return;
  session& each = *sessions_.at(turn.conversation);
  if (--each.turns_left == 0) return end_session(turn.conversation, now);
  if (each.parent == 0 && chance(turn, forks).uniform() < world_.sub_agent_share) return start_sub_agents(each, now);
  go_on(each, now);
}

void agent_traffic::go_on(session& each, instant now) {
  const std::uint64_t id = each.next.conversation;
  clock_.after(now, gap_after(each.next), [this, id](instant when) {
    session& ready = *sessions_.at(id);
    extend_prompt(ready);
    const agent_turn turn = ready.next;
    send_(turn, when);
  });
}

void agent_traffic::start_sub_agents(session& each, instant now) {
  dice lot = chance(each.next, forks);
  lot.uniform();  // skips the first random value, which has already decided that there are sub-agents
  const auto count = 2 + static_cast<std::size_t>(lot.uniform() * 4);
  const std::uint64_t parent = each.next.conversation;
  each.running_sub_agents = count;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t id = short_prompts / 2 + mixed(parent * 1'000 + each.next.number, k) % (short_prompts / 4);
    clock_.after(now, gap_points[0].seconds, [this, id, parent](instant when) { start_session(id, parent, when); });
  }
}

void agent_traffic::end_session(std::uint64_t id, instant now) {
  const std::uint64_t parent = sessions_.at(id)->parent;
  if (parent == 0) {
    const std::uint64_t next = id + generation_step;
    clock_.after(now, gap_after(sessions_.at(id)->next), [this, next](instant when) { start_session(next, 0, when); });
  } else if (session& each = *sessions_.at(parent); --each.running_sub_agents == 0) {
    go_on(each, now);
  }
  sessions_.erase(id);
}

double agent_traffic::gap_after(const agent_turn& turn) const {
  constexpr double long_pause = 150, long_spread = 0.8;
  dice lot = chance(turn, gap);
  if (lot.uniform() < world_.long_pause_share) return long_pause * std::exp(long_spread * lot.normal());
  const double share = lot.uniform();
  std::size_t next = 1;
  while (next + 1 < gap_points.size() && gap_points[next].share < share) ++next;
  const gap_point &from = gap_points[next - 1], &to = gap_points[next];
  return from.seconds * std::pow(to.seconds / from.seconds, (share - from.share) / (to.share - from.share));
}

void agent_traffic::send_short_prompt(std::uint64_t number, instant now) {
  dice lot{seed_, number, short_prompt};
  agent_turn turn;
  turn.conversation = number;
  turn.boundaries = {{mixed(number, 0), std::clamp(lognormal(lot, 500, 0.8), 20.0, 8'000.0)}};
  turn.output_tokens = std::clamp(lognormal(lot, 250, 0.7), 1.0, 4'000.0);
  turn.caller = 1 + number % callers;
  clock_.after(now, lot.exponential() / world_.short_rate,
               [this, number](instant when) { send_short_prompt(number + 1, when); });
  send_(turn, now);
}

}  // namespace photofinish::racing
