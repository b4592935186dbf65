// Finds parts of one JSON text by pointers such as "#/$defs/a~1b" (RFC 6901), which schemas use as references. [pure] A
// client may send any number of references. Therefore, the members of each object on a pointer's path are read only
// once and stored.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class json_pointers {
 public:
  // `root` must outlive this object.
  explicit json_pointers(std::string_view root) : root_(root) {}

  std::string_view root() const { return root_; }

  // Returns the part of the JSON text to which a pointer refers. Returns nullopt if there is no such part, if the
  // pointer refers to another JSON text, or if the pointer has more than 32 steps.
  std::optional<std::string_view> find(std::string_view pointer);

 private:
  using members = std::map<std::string, std::string_view, std::less<>>;

  std::optional<std::string_view> step_into(std::string_view part, const std::string& key);
  const members& members_of(std::string_view object);
  const std::vector<std::string_view>& elements_of(std::string_view list);

  std::string_view root_;
  std::map<const char*, members> objects_;  // the members of each object that was read; the key is the object's address
  std::map<const char*, std::vector<std::string_view>> lists_;
};

}  // namespace photofinish::proxy
