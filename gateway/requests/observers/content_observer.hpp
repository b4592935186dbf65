// Keeps the request and its answer for the content log while the request runs.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/race_observer.hpp"
#include "gateway/config/config.hpp"
#include "gateway/content/content_entry.hpp"
#include "gateway/housekeeping/content_keeping.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace photofinish::gateway {

class content_observer final : public race_observer {
 public:
  struct context {
    content_keeping& keeper;  // outlives it
    std::size_t worker;
    std::shared_ptr<const proxy::redactor> redacts;
  };

  // `asked` has a body, which is copied up to the length of a line. `memory` is an empty share of the request's.
  content_observer(context by, const content_log_settings& log, const parsed_request& asked, const presented_keys& keys,
                   proxy::memory_share memory);

  bool reads_answer() const override { return true; }
  void event(const proxy::stream_event& event) override { entry_->answer.see(event); }
  void restart() override { entry_->answer.restart(); }
  // Hands the entry to the keeper.
  void ended(request_record& record, const std::string& race_id) override;

 private:
  content_keeping& keeper_;
  const std::size_t worker_;
  std::unique_ptr<content_entry> entry_;
};

}  // namespace photofinish::gateway
