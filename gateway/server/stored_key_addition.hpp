// Adds the access keys of a store to a configuration, and logs the keys that cannot be added. Everything runs on the
// housekeeper's thread, except the reading of the keys.
#pragma once

#include "gateway/config/access/stored_keys.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "gateway/threads/slow_work.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class stored_key_addition {
 public:
  explicit stored_key_addition(boost::asio::any_io_executor loop) : work_(std::move(loop)) {}

  // Sets the newest access keys of the store. Null means that these keys are not known yet.
  void hear(std::shared_ptr<const stored_keys> keys) { heard_ = std::move(keys); }
  const std::shared_ptr<const stored_keys>& heard() const { return heard_; }

  // Adds the access keys of the store to the configuration `own`. Returns `own` unchanged if it names no store, if the
  // keys in the store are not known yet, or after cancel(). Throws if the addition takes too long.
  boost::asio::awaitable<std::shared_ptr<const config>> add_to(std::shared_ptr<const config> own);
  void cancel();

  // Sets the store's access keys that the gateway's current configuration contains.
  void use(std::shared_ptr<const stored_keys> keys) { used_ = std::move(keys); }
  bool has_unused_keys() const { return heard_ && heard_ != used_; }
  std::size_t left_out() const { return left_out_.size(); }

 private:
  void log_left_out(std::vector<left_out_key> left_out);

  std::shared_ptr<const stored_keys> heard_;
  std::shared_ptr<const stored_keys> used_;
  std::vector<left_out_key> left_out_;  // the access keys that could not be added to the configuration last time
  slow_work work_;                      // cannot block on files, because access keys in the store do not refer to files
  bool is_cancelled_ = false;
};

}  // namespace photofinish::gateway
