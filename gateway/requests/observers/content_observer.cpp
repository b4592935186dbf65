#include "gateway/requests/observers/content_observer.hpp"

#include <chrono>
#include <utility>

namespace photofinish::gateway {

content_observer::content_observer(context by, const content_log_settings& log, const parsed_request& asked,
                                   const presented_keys& keys, proxy::memory_share memory)
    : keeper_(by.keeper), worker_(by.worker), entry_(std::make_unique<content_entry>()) {
  content_entry& entry = *entry_;
  entry.received_at = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  entry.max_line = log.max_line;
  entry.answer = kept_answer(log.max_line, std::move(memory));
  entry.redacts = std::move(by.redacts);
  if (keys.bearer) entry.keys.push_back(*keys.bearer);
  if (keys.access_key) entry.keys.push_back(*keys.access_key);
  for (const auto& [provider, key] : keys.by_provider) entry.keys.push_back(key);
  entry.request.is_form = asked.body->is_form();
  if (entry.request.is_form) entry.request.bytes = asked.body->json().size();
  else keep_request(entry, asked.body->json());
}

void content_observer::ended(request_record& record, const std::string& race_id) {
  content_entry& entry = *entry_;
  entry.id = record.id;
  entry.race_id = race_id;
  entry.client = record.caller.name();
  entry.team = record.caller.team;
  entry.endpoint = to_string(record.endpoint);
  entry.route = record.route;
  entry.model = record.model;
  if (record.race.winner) entry.winner = record.planned[*record.race.winner].target.text();
  entry.outcome = to_string(record.outcome);
  entry.status = record.status;
  entry.code = record.code;
  if (record.terms.cache) entry.cache = to_string(*record.terms.cache);
  entry.is_streamed = record.form != answer_form::whole;
  entry.duration = std::chrono::floor<std::chrono::milliseconds>(record.times.ended_at - record.times.received_at);
  keeper_.note(worker_, std::move(entry_));
}

}  // namespace photofinish::gateway
