#include "gateway/audit/audit_trail.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace photofinish::gateway {

void audit_trail::adopt(std::shared_ptr<const config> settings, audit_time now) {
  const std::shared_ptr<const config> before = std::exchange(settings_, std::move(settings));
  // Returns before the comparison if there is no audit log, because comparing thousands of keys takes time.
  if (!file_ && settings_->log.audit_file.empty()) return;
  const std::string lines =
      before ? reloaded_lines(now, *before, *settings_) : started_line(now, version_, *settings_);
  const bool is_moved = !file_ || file_->path() != settings_->log.audit_file;
  if (file_) file_->append(lines);
  if (!is_moved) return;
  close();
  if (settings_->log.audit_file.empty()) return;
  file_ = std::make_unique<audit_file>(settings_->log.audit_file);
  file_->append(lines);
}

void audit_trail::reload_refused(const std::vector<std::string>& reasons, audit_time now) {
  if (file_) file_->append(reload_refused_line(now, *settings_, reasons));
}

void audit_trail::refused(const refused_caller& who, audit_time now) {
  if (file_) file_->append(refused_line(now, who));
}

void audit_trail::left_out(std::size_t refusals, audit_time now) {
  if (file_) file_->append(left_out_line(now, refusals));
}

void audit_trail::stopped(audit_time now) {
  if (file_) file_->append(stopped_line(now));
  close();
}

void audit_trail::close() {
  if (!file_) return;
  const audit_file::counts all = file_->so_far();
  before_.written += all.written, before_.dropped += all.dropped;
  file_.reset();
}

void audit_trail::look_after_file() {
  const std::string trouble = file_ ? file_->so_far().trouble : std::string();
  if (trouble == shown_trouble_) return;
  if (trouble.empty())
    spdlog::info("the gateway can write the audit log again");
  else
    spdlog::error("the gateway is losing lines of the audit log: {}: {}", file_->path(), trouble);
  shown_trouble_ = trouble;
}

}  // namespace photofinish::gateway
