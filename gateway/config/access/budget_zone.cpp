#include "gateway/config/access/budget_zone.hpp"

#include "proxy/json/character_set.hpp"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <map>
#include <mutex>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_name = 64;  // names in the tz database have at most 32 characters

// True if the text may be the name of a zone. Zone names are paths in a folder of the machine, and must
// not lead outside it.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && name.front() != '/' &&
         proxy::consists_of_letters(name, "/_-+");
}

}  // namespace

struct budget_zone::rules {
  cctz::time_zone zone;
};

budget_zone::budget_zone(std::unique_ptr<rules> of) : rules_(std::move(of)) {}
budget_zone::~budget_zone() = default;

const budget_zone* budget_zone::find(std::string_view name) {
  static std::mutex guard;
  static std::map<std::string, std::unique_ptr<const budget_zone>, std::less<>> known;
  if (!is_name(name)) return nullptr;
  const std::scoped_lock lock(guard);
  if (const auto found = known.find(name); found != known.end()) return found->second.get();
  auto read = std::make_unique<rules>();
  // A missing zone is not cached, because the zone may be installed later.
  if (!cctz::load_time_zone(std::string(name), &read->zone)) return nullptr;
  auto made = std::unique_ptr<const budget_zone>(new budget_zone(std::move(read)));
  return known.emplace(name, std::move(made)).first->second.get();
}

std::chrono::sys_days budget_zone::day_of(std::chrono::sys_seconds when) const {
  const cctz::civil_day date(cctz::convert(when, rules_->zone));
  return std::chrono::sys_days(std::chrono::days(date - cctz::civil_day(1970, 1, 1)));
}

std::chrono::sys_seconds budget_zone::begin_of(std::chrono::sys_days date) const {
  const cctz::civil_day day = cctz::civil_day(1970, 1, 1) + date.time_since_epoch().count();
  return cctz::convert(cctz::civil_second(day), rules_->zone);
}

}  // namespace photofinish::gateway
