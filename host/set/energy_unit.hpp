#pragma once

namespace carom {

/// The unit of EnergyUnits, given the energy before the impact, J.
double energy_units_per_joule(double energy_before);

}  // namespace carom
