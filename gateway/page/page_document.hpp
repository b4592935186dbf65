// The live page as it is sent: one document that contains its styles and its script, and the policy that allows only
// these. Built from the files of this folder, which are part of the binary.
#pragma once

#include <string>

namespace photofinish::gateway {

struct page_document {
  std::string html;
  std::string policy;  // value of content-security-policy
};

// Built at the first call. Any thread may call it.
const page_document& live_page();

}  // namespace photofinish::gateway
