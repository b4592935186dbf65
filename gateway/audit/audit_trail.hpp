// Writes the audit log: starts, reloads, changed keys, and rejected callers. Only the housekeeper's thread may use this
// object.
#pragma once

#include "gateway/audit/audit_file.hpp"
#include "gateway/audit/audit_line.hpp"
#include "gateway/config/config.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

class audit_trail {
 public:
  explicit audit_trail(std::string build) : version_(std::move(build)) {}

  // Records a configuration. The first call records a start, and later calls record a reload. If a reload changes the
  // path of the log, the record is written to both files.
  void adopt(std::shared_ptr<const config> settings, audit_time now);
  void reload_refused(const std::vector<std::string>& reasons, audit_time now);
  void refused(const refused_caller& who, audit_time now);
  void left_out(std::size_t refusals, audit_time now);
  void stopped(audit_time now);

  // Logs a warning when lines can no longer be written, and a message when writing works again.
  void look_after_file();

  std::uint64_t written() const { return before_.written + (file_ ? file_->so_far().written : 0); }
  std::uint64_t dropped() const { return before_.dropped + (file_ ? file_->so_far().dropped : 0); }

 private:
  void close();

  const std::string version_;
  std::shared_ptr<const config> settings_;  // the current configuration; null until the first one arrives
  std::unique_ptr<audit_file> file_;        // the file of the audit log; null if there is no audit log
  audit_file::counts before_;               // the counts of lines that were written to earlier audit files, and of
                                            // lines that were dropped
  std::string shown_trouble_;
};

}  // namespace photofinish::gateway
