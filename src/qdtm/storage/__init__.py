"""Files and folders that are whole or absent: what every save and load of the package stands on."""
