// What a client asked for about token usage in its stream (stream_options). [pure]
#pragma once

namespace photofinish::proxy {

enum class usage_chunk {
  unwanted,
  wanted,         // include_usage: once, at the end
  wanted_always,  // and continuous_usage_stats: in the other chunks too, as far as the provider tells it there
};

}  // namespace photofinish::proxy
