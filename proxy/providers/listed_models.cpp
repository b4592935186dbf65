#include "proxy/providers/listed_models.hpp"

#include "proxy/providers/catalogue.hpp"

#include <atomic>
#include <utility>

namespace photofinish::proxy {
namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

listed_models::listed_models(std::shared_ptr<const catalogue> list) : number_(next_number()), list_(std::move(list)) {}

const catalogue& listed_models::list() const { return list_ ? *list_ : *built_in_catalogue(); }

std::string_view listed_models::id() const { return list_ ? std::string_view(list_->id()) : built_in_catalogue_id(); }

bool listed_models::operator==(const listed_models& other) const {
  return provider == other.provider && (number_ == 0) == (other.number_ == 0) && id() == other.id();
}

}  // namespace photofinish::proxy
