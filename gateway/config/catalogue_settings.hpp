// The setting `catalogue`, and the list of models that a configuration uses (docs/decisions/0082). [pure]
#pragma once

#include "proxy/providers/catalogue.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The id of a catalogue: 64 hex digits. The type is an array, so that the id in each receipt needs no separate
// allocation.
using catalogue_id = std::array<char, 64>;

struct catalogue_settings {
  std::string file;  // the path of the file; if empty, the gateway uses its built-in list
  std::string sha256;
  std::string public_key;  // the key that verifies the file, in the form that proxy::is_signed_by() reads
  bool allow_jumps = false;
  // The list from the file. Null if there is no file, or if the file's list is older than the built-in list.
  std::shared_ptr<const proxy::catalogue> from_file;
  std::chrono::sys_days file_date{};  // the date of the file, even if the file is too old to be used

  // Returns the list that the configuration uses. The built-in list is parsed at the first call.
  const proxy::catalogue& list() const { return from_file ? *from_file : *proxy::built_in_catalogue(); }

  // Returns the id of the list that the configuration uses, without parsing the built-in list.
  std::string_view id() const { return from_file ? from_file->id() : proxy::built_in_catalogue_id(); }
  std::chrono::sys_days as_of() const { return from_file ? from_file->as_of() : proxy::built_in_catalogue_date(); }
  catalogue_id id_letters() const {
    catalogue_id letters{};
    id().copy(letters.data(), letters.size());
    return letters;
  }

  bool operator==(const catalogue_settings& other) const {
    return file == other.file && sha256 == other.sha256 && public_key == other.public_key &&
           allow_jumps == other.allow_jumps && id() == other.id();
  }
};

}  // namespace photofinish::gateway
