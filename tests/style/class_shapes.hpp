// The classes of a source file, with the figures that the bounds on classes limit; and the methods that it defines.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::style {

struct class_shape {
  std::string name;  // without its namespace and without the class around it
  std::size_t line = 1;
  std::size_t methods = 0;  // except those that are `= delete`
  std::size_t members = 0;  // data, except constants
};

struct file_shape {
  std::vector<class_shape> classes;  // a nested class has an entry of its own; classes in function bodies have none
  std::vector<std::string> owners;   // the class of each method that is defined outside of its class
};

// Reads declarations as they are written here. Macros are not expanded.
file_shape shape_of(const source_file& file);

}  // namespace photofinish::style
