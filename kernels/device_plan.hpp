#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/device_buffer.hpp"
#include "kernels/sample_view.hpp"

namespace carom {

/// A copy of a plan, and of all that it points to, in the memory of the current device.
class DevicePlan {
 public:
  DevicePlan() = default;
  DevicePlan(const SamplingPlan& host, std::size_t problem_count) : plan_(host) {
    const auto contacts = static_cast<std::size_t>(host.shape.contacts);
    add(plan_.problems, host.stride * problem_count);
    add(plan_.caps.scale, static_cast<std::size_t>(host.caps.components) * contacts);
    constexpr std::size_t sobol_bits = 32;
    add(plan_.caps.sobol, static_cast<std::size_t>(host.caps.sobol_dimensions) * sobol_bits);
    std::vector<ModeTableView> tables;
    if (host.modes != nullptr) {
      tables.assign(host.modes, host.modes + problem_count);
      for (ModeTableView& table : tables) add_table(table, contacts);
      plan_.modes = tables.data();
      add(plan_.modes, tables.size());
    }
    std::vector<PivotTree> trees;
    if (host.trees != nullptr) {
      trees.assign(host.trees, host.trees + problem_count);
      for (PivotTree& tree : trees) {
        add(tree.node, static_cast<std::size_t>(tree.nodes));
        add(tree.leaf, static_cast<std::size_t>(tree.leaves));
        add(tree.child, static_cast<std::size_t>(tree.children));
      }
      plan_.trees = trees.data();
      add(plan_.trees, trees.size());
    }
    upload(tables, trees);
  }

  const SamplingPlan& plan() const { return plan_; }

 private:
  /// Copies what `pointer` points to and leaves the offset of the copy in it, until upload(). Only
  /// the first one's, the problems', is zero and so looks like no pointer.
  template <class T>
  void add(T*& pointer, std::size_t count) {
    if (pointer == nullptr) return;
    constexpr std::size_t alignment = 64;  // of pivot trees' nodes
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
    const std::size_t offset = bytes_.size();
    bytes_.resize(offset + count * sizeof(T));
    if (count > 0) std::memcpy(bytes_.data() + offset, pointer, count * sizeof(T));
    pointer = reinterpret_cast<T*>(offset);
  }

  void add_table(ModeTableView& table, std::size_t contacts) {
    const auto size = [](int count) { return static_cast<std::size_t>(count); };
    const int blocks = (table.modes + mode_lanes - 1) / mode_lanes;
    const std::size_t map_size = size(table.impulses) * size(table.inputs);
    add(table.filter, size(table.stage_start[blocks]) * size(table.inputs) * mode_lanes);
    add(table.stage_start, size(blocks) + 1);
    add(table.map, size(table.modes) * map_size);
    add(table.mode_number, size(table.modes));
    add(table.consistency, size(table.segments) * size(table.inputs));
    add(table.segment_map, size(table.segments) * map_size);
    add(table.segment_direction, size(table.segments) * size(table.impulses));
    add(table.segment_state, size(table.segments) * contacts);
  }

  template <class T>
  void point(T*& pointer, bool there) const {
    if (there) {
      pointer = reinterpret_cast<T*>(memory_.data() + reinterpret_cast<std::size_t>(pointer));
    }
  }

  /// Writes `items`, whose pointers are right now, over the copy that `pointer` leads to.
  template <class T>
  void replace(const T*& pointer, const std::vector<T>& items) {
    std::memcpy(bytes_.data() + reinterpret_cast<std::size_t>(pointer), items.data(),
                items.size() * sizeof(T));
    point(pointer, true);
  }

  /// Turns offsets into pointers on the device and copies everything there.
  void upload(std::vector<ModeTableView>& tables, std::vector<PivotTree>& trees) {
    memory_ = DeviceBuffer<unsigned char>(bytes_.size());
    const bool has_scale = plan_.caps.scale != nullptr;
    const bool has_sobol = plan_.caps.sobol != nullptr;
    for (ModeTableView& table : tables) {
      point(table.filter, true);
      point(table.stage_start, true);
      point(table.map, true);
      point(table.mode_number, true);
      point(table.consistency, table.segments > 0);
      point(table.segment_map, table.segments > 0);
      point(table.segment_direction, table.segments > 0);
      point(table.segment_state, table.segments > 0);
    }
    if (!tables.empty()) replace(plan_.modes, tables);
    for (PivotTree& tree : trees) {
      point(tree.node, true);
      point(tree.leaf, true);
      point(tree.child, true);
    }
    if (!trees.empty()) replace(plan_.trees, trees);
    point(plan_.problems, true);
    point(plan_.caps.scale, has_scale);
    point(plan_.caps.sobol, has_sobol);
    CAROM_CUDA_CHECK(
        cudaMemcpy(memory_.data(), bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice));
    // The copy may still be on its way, and other streams do not wait for the default one.
    CAROM_CUDA_CHECK(cudaDeviceSynchronize());
    bytes_ = {};
  }

  SamplingPlan plan_;
  std::vector<unsigned char> bytes_;
  DeviceBuffer<unsigned char> memory_;
};

}  // namespace carom
