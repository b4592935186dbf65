// Checks a server's certificate and key before they are used: whether they match, and how long they are valid.
// [pure but for X.509]
#pragma once

#include <chrono>
#include <string>

namespace photofinish::gateway {

struct pem_pair {
  // The errors in the two files. Each text continues a message that begins with the file's name. Empty if there is no
  // error.
  std::string certificate_problem, key_problem;
  std::string warning;  // a warning about the certificates after the first one
  std::chrono::sys_seconds expires{};  // the time when the first certificate expires
};

pem_pair examine_pair(const std::string& certificates, const std::string& key);

// Explains why the text does not contain valid certificates of client authorities. Returns an empty text if it does.
std::string authorities_problem(const std::string& certificates);

}  // namespace photofinish::gateway
