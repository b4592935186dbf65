// Finds the classes of a source file with their numbers of methods and members, and the methods that the file defines.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::style {

struct class_shape {
  std::string name;  // the name of the class, without namespace and outer class
  std::size_t line = 1;
  std::size_t methods = 0;  // the number of methods, without methods that are `= delete`
  std::size_t members = 0;  // the number of data members, without constants
};

struct file_shape {
  std::vector<class_shape> classes;  // all classes of the file, except classes inside function bodies
  std::vector<std::string> owners;   // the class name of each method that is defined outside of its class
};

// Reads declarations in the style of this project. Macros are not expanded.
file_shape shape_of(const source_file& file);

}  // namespace photofinish::style
