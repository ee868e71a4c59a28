#pragma once

namespace carom {

/// Of EnergyUnits, given the energy before the impact, J.
double energy_units_per_joule(double energy_before);

}  // namespace carom
