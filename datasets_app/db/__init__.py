"""What the site does with its databases beyond the ORM: `snapshot.read_snapshot` reads as of one moment."""
