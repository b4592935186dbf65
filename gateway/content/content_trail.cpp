#include "gateway/content/content_trail.hpp"

#include "gateway/content/content_files.hpp"
#include "gateway/content/content_line.hpp"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours look_every{1};
constexpr std::size_t most_names = 100'000;  // the maximum number of file names that are read from one folder

std::string routes_text(const content_log_settings& settings) {
  std::string all;
  for (const std::string& each : settings.routes) all += (all.empty() ? "" : ", ") + each;
  return all;
}

// Deletes expired files. Runs on the writer's thread, because access to a folder may hang.
void delete_expired_files(const content_log_settings& settings, log_time now) {
  const fs::path folder = fs::path(settings.file).parent_path();
  std::vector<std::string> names;
  std::error_code ec;
  for (fs::directory_iterator each(folder, ec); !ec && each != fs::directory_iterator() && names.size() < most_names;
       each.increment(ec))
    names.push_back(each->path().filename().string());
  for (const std::string& name : expired_files(settings.file, names, settings.retention, now)) {
    std::error_code refused;
    fs::remove(folder / name, refused);
    if (refused) spdlog::warn("a file of the content log cannot be deleted: {}: {}", name, refused.message());
    else spdlog::info("deleted a file of the content log that was older than the retention time: {}", name);
  }
}

}  // namespace

void content_trail::adopt(const content_log_settings& settings, log_time now) {
  if (settings == settings_) return;
  const bool is_moved = settings.file != settings_.file;
  settings_ = settings;
  if (is_moved) {
    close();
    if (settings_.is_on()) writer_ = std::make_unique<line_writer>(max_waiting_bytes);
  }
  if (settings_.is_on())
    spdlog::warn("content_log: prompts and answers of {} are stored in files next to {}", routes_text(settings_),
                 settings_.file);
  delete_expired(now);
}

void content_trail::add(std::shared_ptr<content_entry> entry, log_time now) {
  if (!writer_) {
    ++before_.dropped;  // there is no writer if the log was turned off during the request
    return;
  }
  line_writer::piece added{.file = day_file(settings_.file, std::chrono::floor<std::chrono::days>(now)), .make = {}};
  added.bytes = entry->held_bytes();
  added.held = entry->answer.take_memory();
  added.make = [entry = std::move(entry)] { return content_line(*entry); };
  writer_->append(std::move(added));
}

void content_trail::tend(log_time now) {
  if (!writer_) return;
  if (now - looked_at_ >= look_every || now < looked_at_) delete_expired(now);
  const std::string trouble = writer_->so_far().trouble;
  if (trouble == shown_trouble_) return;
  if (trouble.empty()) spdlog::info("the gateway can write the content log again");
  else spdlog::error("the gateway loses lines of the content log: {}: {}", settings_.file, trouble);
  shown_trouble_ = trouble;
}

void content_trail::delete_expired(log_time now) {
  looked_at_ = now;
  if (!writer_) return;
  line_writer::piece work{.file = {}, .make = {}, .lines = 0};
  work.make = [settings = settings_, now] {
    delete_expired_files(settings, now);
    return std::string();
  };
  writer_->append(std::move(work));
}

void content_trail::close() {
  if (!writer_) return;
  const line_writer::counts all = writer_->so_far();
  before_.written += all.written, before_.dropped += all.dropped;
  writer_.reset();
}

}  // namespace photofinish::gateway
