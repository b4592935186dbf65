// The client's choice about token usage in its stream (stream_options). [pure]
#pragma once

namespace photofinish::proxy {

enum class usage_chunk {
  unwanted,
  wanted,         // include_usage: the usage is sent once, at the end
  wanted_always,  // continuous_usage_stats: also sent in other chunks, if the provider reports the usage there
};

}  // namespace photofinish::proxy
