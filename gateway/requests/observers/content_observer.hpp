// Collects the request and its answer for the content log while the request is processed.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/race_observer.hpp"
#include "gateway/config/config.hpp"
#include "gateway/content/content_entry.hpp"
#include "gateway/housekeeping/content_keeping.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/memory/memory_share.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {

class content_observer final : public race_observer {
 public:
  struct context {
    content_keeping& keeper;  // passes entries to the content log; must outlive the observer
    std::size_t worker;
    std::shared_ptr<const proxy::redactor> redacts;
  };

  // The request `asked` must have a body. The observer copies only as much of the body as fits in a log line. `memory`
  // is empty at first. The observer uses it to account for the memory of these copies.
  content_observer(context by, const content_log_settings& log, const parsed_request& asked,
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

  bool reads_answer() const override { return true; }
  void event(const proxy::stream_event& event) override { entry_->answer.see(event); }
  void restart() override { entry_->answer.restart(); }
  // Passes the entry to the content log.
  void ended(request_record& record, const std::string& race_id) override {
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

 private:
  content_keeping& keeper_;
  const std::size_t worker_;
  std::unique_ptr<content_entry> entry_;
};

}  // namespace photofinish::gateway
