// The live page as a single document, which contains its styles and scripts. Its content security policy allows only
// these styles and scripts. The build embeds the files of this folder into the binary.
#pragma once

#include <string>

namespace photofinish::gateway {

struct page_document {
  std::string html;
  std::string policy;  // the value of the header content-security-policy
};

// Returns the page, which is built on the first call. Any thread may call this function.
const page_document& live_page();

}  // namespace photofinish::gateway
