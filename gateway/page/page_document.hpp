// The live page as it is sent: one document with its styles and its script inside, and the policy that allows these
// alone. Built from the files of this folder, which travel inside the binary.
#pragma once

#include <string>

namespace photofinish::gateway {

struct page_document {
  std::string html;
  std::string policy;  // content-security-policy
};

// Put together at the first call. Any thread.
const page_document& live_page();

}  // namespace photofinish::gateway
