// The checksum of Ethernet, zlib and PNG (CRC-32, IEEE 802.3). [pure]
#pragma once

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

std::uint32_t crc32_of(std::string_view bytes);

}  // namespace photofinish::proxy
