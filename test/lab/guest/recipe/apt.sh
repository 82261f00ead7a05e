# An apt of our own: it shares the mirror and the way to it with the machine's,
# and no state.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_mirror is where this machine gets Debian from, or LAB_MIRROR.
debian_mirror() {
	local uri label
	if [ -n "${LAB_MIRROR:-}" ]; then
		echo "$LAB_MIRROR"
		return
	fi
	while read -r uri label; do # a label may be two words: Debian Backports
		if [ "$label" = Debian ]; then
			echo "$uri"
			return
		fi
	done < <(index_targets)
	echo "lab: this machine's apt has no Debian mirror: set LAB_MIRROR to the address of one" >&2
	return 1
}

# index_targets lists the machine's sources, with the label that the lists say.
# Where nobody has read the lists since the machine was made, it does so, beside
# the machine's own state.
index_targets() {
	# shellcheck disable=SC2016 # apt expands it
	local show=(indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages') beside=$work/machine
	if [ -n "$(apt-get "${show[@]}")" ]; then
		apt-get "${show[@]}"
		return
	fi
	local options=(-o "Dir::State::Lists=$beside/lists" -o "Dir::Cache=$beside" -o APT::Sandbox::User=root)
	mkdir -p "$beside"/{lists,archives}/partial
	apt-get -qq "${options[@]}" update >&2
	apt-get "${options[@]}" "${show[@]}"
}

# configure_apt points apt-get at a state of its own and reads the lists.
configure_apt() {
	local apt=$work/apt
	mkdir -p "$apt"/{lists/partial,archives/partial}
	touch "$apt/status"
	cat >"$apt/sources.list" <<-END
		deb [signed-by=$keyring] $mirror trixie main
		deb [signed-by=$keyring] $mirror trixie-backports main
	END
	{
		apt-config dump | grep '^Acquire::' || true # proxies and the like
		cat <<-END
			Dir::Etc::Main "/dev/null";
			Dir::Etc::Parts "/dev/null";
			Dir::Etc::Preferences "/dev/null";
			Dir::Etc::PreferencesParts "/dev/null";
			Dir::Etc::SourceList "$apt/sources.list";
			Dir::Etc::SourceParts "/dev/null";
			Dir::State "$apt";
			Dir::State::Lists "$apt/lists";
			Dir::State::status "$apt/status";
			Dir::Cache "$apt";
			Dir::Cache::archives "$apt/archives";
			APT::Update::Error-Mode "any";
			Acquire::Languages "none";
			Acquire::Retries "3";
			APT::Architecture "amd64";
			APT::Architectures "amd64";
			APT::Install-Recommends "false";
			APT::Sandbox::User "root";
		END
	} >"$apt/apt.conf"
	export APT_CONFIG=$apt/apt.conf
	if ! apt-get -qq update; then
		echo "lab: $mirror cannot be read: is there a network? LAB_MIRROR names another mirror" >&2
		return 1
	fi
}

# download_packages leaves the packages and all they depend on in
# work/apt/archives.
download_packages() {
	local packages
	mapfile -t packages < <(sed 's/#.*//; /^$/d' "$recipe/packages")
	apt-get -qq -y --download-only install "${packages[@]}" >/dev/null
}
