#include "gateway/housekeeping/shared/fleet_questions.hpp"

#include <algorithm>

namespace photofinish::gateway {

std::vector<store_command> fleet_questions::reads(const fleet_commands& commands) {
  std::vector<store_command> all;
  asked_.clear();
  for (const open_question& each : open_) {
    asked_.push_back(each.question.id);
    all.push_back(each.is_sent ? commands.read_answer(each.question.id) : commands.ask(each.question));
  }
  return all;
}

void fleet_questions::note_answers(const std::map<std::string, bool>& peers, const std::vector<fleet_entry>& entries) {
  for (open_question& each : open_) {
    std::erase_if(each.missing, [&](const auto& who) { return !peers.contains(who.first); });
    for (const fleet_entry& entry : entries)
      if (entry.heard && std::count(entry.heard->begin(), entry.heard->end(), each.question.id) > 0)
        each.missing.erase(entry.run);
  }
}

void fleet_questions::take(std::vector<fleet_question> others, std::span<const store_reply> replies) {
  others_ = std::move(others);
  for (std::size_t each = 0; each < std::min(asked_.size(), replies.size()); ++each) {
    const store_reply& reply = replies[each];
    const auto is_it = [&](const open_question& one) { return one.question.id == asked_[each]; };
    const auto found = std::find_if(open_.begin(), open_.end(), is_it);
    if (found == open_.end()) continue;
    if (found->is_sent && reply.kind == reply_kind::text && reply.text.size() <= fleet_commands::longest_answer) {
      found->page = reply.text;
      found->is_over = true;
    }
    found->is_over |= found->is_sent && found->missing.empty();
    found->is_sent = true;
  }
}

std::vector<store_command> fleet_questions::writes(const fleet_commands& commands, wall_seconds now,
                                                   const std::string& name, const receipt_maker& make) {
  std::vector<store_command> all;
  heard_.clear();
  hearing_.clear();
  for (const fleet_question& each : std::exchange(others_, {})) {
    const bool is_own = each.id.starts_with(run_);
    const bool is_old = now - each.at > fleet_commands::question_life;
    std::string page = is_own || is_old ? std::string() : make(each);
    if (!page.empty()) page = named_page(std::move(page), name);
    const bool fits = page.size() <= fleet_commands::longest_answer;
    if (!is_own && fits) hearing_.push_back(each.id);
    if (!page.empty() && fits) all.push_back(commands.answer(each.id, page));
    if (is_old || !page.empty()) all.push_back(commands.remove_question(each.id));
  }
  for (const std::string& id : std::exchange(over_, {})) all.push_back(commands.remove_question(id));
  return all;
}

void fleet_questions::note_written() { heard_ = std::move(hearing_); }

void fleet_questions::end_round(bool is_whole, instant begun) {
  for (open_question& each : open_) each.is_over |= begun >= each.until || !is_whole;
}

bool fleet_questions::is_short(const fleet_question& question) {
  return std::max(question.receipt.size(), question.caller.size()) <= fleet_commands::longest_text;
}

bool fleet_questions::has_room_for(const fleet_question& question) const {
  if (open_.size() >= most_open) return false;
  const auto is_callers = [&](const open_question& each) {
    return !question.sees_all && each.question.caller == question.caller;
  };
  return std::count_if(open_.begin(), open_.end(), is_callers) < std::ptrdiff_t{most_of_caller};
}

fleet_questions::place fleet_questions::open(fleet_question question, wall_seconds now, instant until,
                                             std::map<std::string, bool> peers) {
  question.id = run_ + "." + std::to_string(++count_);
  question.at = now;
  return open_.insert(open_.end(), {std::move(question), until, std::move(peers)});
}

// Does not wait for gateways of older versions. They reply to a question only if they have the requested receipt.
fleet_receipt fleet_questions::close(place which) {
  const auto is_silent = [](const auto& who) { return who.second; };
  const bool is_whole = which->is_sent && std::none_of(which->missing.begin(), which->missing.end(), is_silent);
  if (which->is_sent && which->page.empty()) over_.push_back(which->question.id);
  fleet_receipt found{.page = std::move(which->page)};
  if (found.page.empty() && !is_whole) found.trouble = "a gateway has not answered in time";
  open_.erase(which);
  return found;
}

}  // namespace photofinish::gateway
